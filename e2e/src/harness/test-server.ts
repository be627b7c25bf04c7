// An API server that a suite has for itself: the embedded one or the real one, with what tests do to them.

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

/** What a suite may ask for. */
export interface TestServerOptions {
  /** Whether old versions are to be forgotten within seconds, so that a 410 can be had. */
  readonly isForgetful?: boolean;
  /** Flags of the real one that make it behave as the embedded one does anyway. */
  readonly apiserverFlags?: readonly string[];
  /** Who plays the kubelets of the embedded one. The real one finds them by the addresses of its nodes. */
  readonly kubelets?: LogProvider;
}

/** A server to run a suite on. */
export interface TestServer extends RealCluster {
  /** Ends it without a word to anybody. What was stored stays. */
  kill(): Promise<void>;
  /** Starts it again where it was; resolves when it is ready. */
  restart(): Promise<void>;
  /** Forgets everything before a version. */
  compact(resourceVersion: string): Promise<void>;
  /** What it has cost so far outside of this process. */
  cpuMs(): number;
}

/** Starts a real one: etcd and kube-apiserver. */
export async function startRealServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { isForgetful = false, apiserverFlags = [] } = options;
  const flags = isForgetful ? ["--etcd-compaction-interval=1s", ...apiserverFlags] : apiserverFlags;
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

/** Starts an embedded one, within this process. */
export async function startEmbeddedServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { isForgetful = false, kubelets } = options;
  const own: EmbeddedOptions = {
    ...(isForgetful ? { history: { ageMsMax: 1000 } } : {}),
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
      if (state === undefined) throw new Error("it was not killed");
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
