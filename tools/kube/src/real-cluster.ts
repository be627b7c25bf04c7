import { type ApiAccess, type ApiRequest, type ApiResponse, requestApi } from "./api.ts";
import { findBinaries } from "./binaries.ts";
import { adminAccess } from "./control-plane.ts";
import { down } from "./down.ts";
import { RealClusterUnavailableError } from "./errors.ts";
import { chosenKubeconfig, readKubeconfig } from "./external.ts";
import { findGoProblem } from "./go.ts";
import { type Environment, clusterFolder } from "./paths.ts";
import { identify } from "./process-identity.ts";
import { missingPackages, packagesSentence, platformProblem } from "./requirements.ts";
import { list, text } from "./shape.ts";
import { type ClusterKind, clusterPaths } from "./state.ts";
import { up } from "./up.ts";
import { watchOver } from "./watchdog.ts";

/** What a suite asks for. */
export interface RealClusterOptions {
  /** The least it can do with: the API alone, the controllers and the scheduler too, or a node that runs pods. */
  readonly need: ClusterKind;
  /** Flags for the API server, where this call starts one. */
  readonly apiserverFlags?: readonly string[];
  /**
   * A cluster that several processes share, and the process that owns it.
   *
   * The first caller starts it, the others find it running. `stop` does nothing: the owner removes the cluster
   * (`watchdog-main`), and if the owner was killed, the next start of any cluster does.
   */
  readonly shared?: { readonly name: string; readonly ownerPid: number };
  readonly env?: Environment;
  readonly signal?: AbortSignal;
  /** Told what is happening, a line at a time; silent when left away. */
  readonly report?: (line: string) => void;
}

/** A real Kubernetes to run a suite on. PEM texts; with a client certificate where this tool started it. */
export interface RealCluster extends ApiAccess, AsyncDisposable {
  readonly kubeconfigPath: string;
  /** Whether it is the user's own cluster, named by a kubeconfig: it is not ours to stop, and has other things in it. */
  readonly isExternal: boolean;
  /** Sends one request as its administrator. */
  request(request: ApiRequest): Promise<ApiResponse>;
  /** Stops it and removes all it has, unless it is the user's own. May be called twice. */
  stop(): Promise<void>;
}

/**
 * A real Kubernetes for a suite: the user's own where asked for, else one started for this process alone.
 *
 * Binaries come from `KUBEBUILDER_ASSETS`, else from the cache, else are built with Go (minutes, once). The cluster goes
 * when `stop` is called or the scope ends, and also when this process dies, however it does.
 *
 * Throws {@link RealClusterUnavailableError}, with the reason in one sentence, where none can be had.
 *
 * @example
 * await using cluster = await realCluster({ need: "apiserver" });
 * const { body } = await cluster.request({ path: "/version" });
 */
export async function realCluster(options: RealClusterOptions): Promise<RealCluster> {
  const { need, env = process.env, signal, report = () => undefined } = options;
  const path = chosenKubeconfig(env);
  if (path !== undefined) return externalCluster(path, need, env);
  const reason = await whyNoRealCluster(options);
  if (reason !== undefined) throw new RealClusterUnavailableError(reason);

  const { shared } = options;
  if (shared !== undefined) return startOrJoin({ need, env, signal, report, ...shared });
  const name = nextName();
  const owner = identify(process.pid);
  const watchdog = watchOver(name, env);
  const stop = async (): Promise<void> => {
    await down(name, { env, report });
    watchdog.dismiss();
  };
  try {
    const started = await up({
      name,
      kind: need,
      env,
      owner,
      signal,
      report,
      apiserverFlags: options.apiserverFlags ?? [],
    });
    const access = adminAccess(started.record, clusterFolder(env, name));
    return cluster(access, { kubeconfigPath: clusterPaths(started.folder).kubeconfig, isExternal: false, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

interface JoinOptions {
  readonly name: string;
  readonly ownerPid: number;
  readonly need: ClusterKind;
  readonly env: Environment;
  readonly signal: AbortSignal | undefined;
  readonly report: (line: string) => void;
}

async function startOrJoin({ name, ownerPid, need, ...rest }: JoinOptions): Promise<RealCluster> {
  const owner = identify(ownerPid);
  // Without an owner the next start of a cluster would take it for an orphan, and remove it while suites use it.
  if (owner === undefined)
    throw new RealClusterUnavailableError(`Process ${ownerPid}, which owns ${name}, does not run.`);
  const { record, folder } = await up({ ...rest, name, kind: need, owner });
  const kubeconfigPath = clusterPaths(folder).kubeconfig;
  return cluster(adminAccess(record, folder), { kubeconfigPath, isExternal: false, stop: async () => undefined });
}

/**
 * Why {@link realCluster} would not give a cluster here, in one sentence; undefined when it would.
 *
 * Meant as the reason of a skipped suite: `describe("…", { skip: await whyNoRealCluster({ need: "node" }) }, …)`.
 */
export async function whyNoRealCluster(options: RealClusterOptions): Promise<string | undefined> {
  const { need, env = process.env, signal } = options;
  if (chosenKubeconfig(env) !== undefined) return undefined;
  if (need === "node") {
    const problem = platformProblem("node", process.platform, process.getuid?.());
    if (problem !== undefined) return problem;
    const missing = missingPackages("node", env);
    if (missing.length > 0) return packagesSentence("node", missing);
  }
  try {
    const source = findBinaries(need, env);
    return source.from === "assets" || source.missing.length === 0 ? undefined : await findGoProblem(env, signal);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function externalCluster(path: string, need: ClusterKind, env: Environment): Promise<RealCluster> {
  const access = await readKubeconfig(path, env);
  const unavailable = (problem: string, cause?: unknown): RealClusterUnavailableError =>
    new RealClusterUnavailableError(`The cluster of ${path} at ${access.server} ${problem}`, { cause });
  const ask = async (request: string): Promise<ApiResponse> => {
    try {
      return await requestApi(access, { path: request });
    } catch (cause) {
      throw unavailable("does not answer. Start it, or unset HOMEOSTAT_E2E_KUBECONFIG and HOMEOSTAT_E2E.", cause);
    }
  };
  const { status } = await ask("/api/v1/namespaces?limit=1");
  if (status !== 200) throw unavailable(`does not let us in (status ${status}); the suites need an administrator.`);
  if (need === "node") {
    const nodes = list((await ask("/api/v1/nodes")).body, "items");
    const isReady = (node: unknown): boolean =>
      list(node, "status", "conditions").some((one) => text(one, "type") === "Ready" && text(one, "status") === "True");
    if (!nodes.some(isReady)) throw unavailable("has no node that is ready.");
  }
  return cluster(access, { kubeconfigPath: path, isExternal: true, stop: async () => undefined });
}

function cluster(access: ApiAccess, rest: Pick<RealCluster, "kubeconfigPath" | "isExternal" | "stop">): RealCluster {
  return {
    ...access,
    ...rest,
    request: async (request) => requestApi(access, request),
    [Symbol.asyncDispose]: rest.stop,
  };
}

let count = 0;

/** A name no other process has: several suites may run at once. */
function nextName(): string {
  count += 1;
  return `test-${process.pid}-${count}`;
}
