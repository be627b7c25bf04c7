// The real API server and the embedded one, side by side: what a suite asks of both and compares.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeKubeconfig } from "@homeostat/apiserver";
import type { RealClusterOptions } from "@homeostat/kube";
import { startOwnCluster } from "./own-cluster.ts";
import { type Embedded, startEmbedded } from "./embedded.ts";

/** A server that a suite asks, as its administrator. PEM texts. */
export interface ServerUnderTest {
  readonly name: "real" | "embedded";
  /** `https://127.0.0.1:6443`. */
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** For kubectl and other programs. */
  readonly kubeconfigPath: string;
}

/** Both servers, fresh, and the end of both. */
export interface BothServers extends AsyncDisposable {
  readonly real: ServerUnderTest;
  readonly embedded: ServerUnderTest;
  /** The embedded one from within: faults, snapshots, its store. */
  readonly inside: Embedded["server"];
}

/**
 * Starts a real API server and an embedded one, each for this suite alone.
 *
 * Dispose of them when done. Answers differ in uids, times, versions, names that are made up and hosts: `normalise.ts`
 * takes those out.
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
