// Starts the real and the embedded API server for suites that compare their responses.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeKubeconfig } from "@homeostat/apiserver";
import type { RealClusterOptions } from "@homeostat/kube";
import { startOwnCluster } from "./own-cluster.ts";
import { type Embedded, startEmbedded } from "./embedded.ts";

/** An API server and the credentials of its administrator, as PEM. */
export interface ServerUnderTest {
  readonly name: "real" | "embedded";
  /** Base URL, such as `https://127.0.0.1:6443`. */
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** Kubeconfig for kubectl and other programs. */
  readonly kubeconfigPath: string;
}

/** Both API servers. Disposal stops them. */
export interface BothServers extends AsyncDisposable {
  readonly real: ServerUnderTest;
  readonly embedded: ServerUnderTest;
  /** The embedded server object: faults, snapshots, its store. */
  readonly inside: Embedded["server"];
}

/**
 * Starts a real and an embedded API server for this suite alone.
 *
 * Responses differ in uids, times, resource versions, generated names and addresses; `normalise.ts` replaces these.
 */
export async function bothServers({
  need = "apiserver",
}: Partial<Pick<RealClusterOptions, "need">> = {}): Promise<BothServers> {
  const folder = await mkdtemp(join(tmpdir(), "homeostat-both-"));
  const [cluster, embedded] = await Promise.all([startOwnCluster(need), startEmbedded()]);
  const { server, ca, cert, key } = embedded.access;
  const kubeconfigPath = join(folder, "kubeconfig");
  await writeKubeconfig(kubeconfigPath, { server, ca, client: { cert, key } });
  const { server: realUrl, ca: realCa = "", cert: realCert = "", key: realKey = "" } = cluster;
  return {
    real: {
      name: "real",
      server: realUrl,
      ca: realCa,
      cert: realCert,
      key: realKey,
      kubeconfigPath: cluster.kubeconfigPath,
    },
    embedded: { name: "embedded", server, ca, cert, key, kubeconfigPath },
    inside: embedded.server,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([cluster.stop(), embedded.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
