// An API server for one suite, embedded or real, with the operations that tests need: kill, restart, compact.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LogProvider, type StoreSnapshot, writeKubeconfig } from "@homeostat/apiserver";
import type { JsonRecord } from "@homeostat/core";
import { type RealCluster, requestApi } from "@homeostat/kube";
import { ApiServerProcess } from "./apiserver-process.ts";
import { startCluster } from "./cluster.ts";
import { compact } from "./compact.ts";
import { cpuMsOf } from "./cpu.ts";
import { type EmbeddedOptions, startEmbedded } from "./embedded.ts";

/** Options of a test server. */
export interface TestServerOptions {
  /** True to discard old revisions within seconds, so that watches get 410 Gone. */
  readonly compactsQuickly?: boolean;
  /** Additional flags of kube-apiserver that match defaults of the embedded server. */
  readonly apiserverFlags?: readonly string[];
  /** Handler of the embedded server's kubelet requests. The real server finds kubelets by the addresses of their nodes. */
  readonly kubelets?: LogProvider;
}

/** An API server that a suite runs on. */
export interface TestServer extends RealCluster {
  /** Kills the server. Stored objects are kept. */
  kill(): Promise<void>;
  /** Starts the server again on the same port; resolves when it is ready. */
  restart(): Promise<void>;
  /** Compacts the storage up to a resource version. */
  compact(resourceVersion: string): Promise<void>;
  /** Returns the CPU time used outside this process so far. */
  cpuMs(): number;
}

/** Starts a real API server: etcd and kube-apiserver. */
export async function startRealServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { compactsQuickly = false, apiserverFlags = [] } = options;
  const flags = compactsQuickly ? ["--etcd-compaction-interval=1s", ...apiserverFlags] : apiserverFlags;
  const cluster = await startCluster({ need: "apiserver", apiserverFlags: flags });
  let server: ApiServerProcess | undefined;
  const whole = (): ApiServerProcess => (server ??= new ApiServerProcess(cluster));
  return {
    ...cluster,
    kill: async () => whole().kill(),
    restart: () => whole().start(),
    compact: (resourceVersion) => compact(cluster, resourceVersion),
    cpuMs: () => (cluster.isExternal ? NaN : cpuMsOf(cluster) + (server?.cpuMs ?? 0)),
  };
}

/** Starts an embedded API server in this process. */
export async function startEmbeddedServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { compactsQuickly = false, kubelets } = options;
  const own: EmbeddedOptions = {
    ...(compactsQuickly ? { history: { ageMsMax: 1000 } } : {}),
    ...(kubelets === undefined ? {} : { nodes: kubelets }),
  };
  let embedded = await startEmbedded(own);
  let state: StoreSnapshot<JsonRecord> | undefined;
  const { access } = embedded;
  const folder = await mkdtemp(join(tmpdir(), "homeostat-embedded-"));
  const kubeconfigPath = join(folder, "kubeconfig");
  const { server, ca, cert, key } = access;
  await writeKubeconfig(kubeconfigPath, { server, ca, client: { cert, key } });
  const stop = async (): Promise<void> => {
    await embedded.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return {
    ...access,
    kubeconfigPath,
    isExternal: false,
    request: (request) => requestApi(access, request),
    kill: async () => {
      state = embedded.server.snapshot();
      await embedded.stop();
    },
    restart: async () => {
      if (state === undefined) throw new Error("the server was not killed before the restart");
      const { certificates, tools } = embedded.server;
      const { signingKey } = tools;
      embedded = await startEmbedded({
        ...own,
        port: Number(new URL(server).port),
        from: state,
        certificates,
        signingKey,
      });
    },
    compact: async (resourceVersion) => embedded.server.compact(Number(resourceVersion)),
    cpuMs: () => 0,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
