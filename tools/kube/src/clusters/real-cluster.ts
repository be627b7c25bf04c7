import { type ApiAccess, type ApiRequest, type ApiResponse, requestApi } from "../control-plane/api.ts";
import { findBinaries } from "../builds/binaries.ts";
import { adminAccess } from "../control-plane/control-plane.ts";
import { down } from "./down.ts";
import { RealClusterUnavailableError } from "../errors.ts";
import { chosenKubeconfig, readKubeconfig } from "./external.ts";
import { findGoProblem } from "../builds/go.ts";
import { type Environment, clusterFolder } from "../cache/paths.ts";
import { identify } from "../processes/process-identity.ts";
import { missingPackages, packagesSentence, platformProblem } from "../nodes/requirements.ts";
import { list, text } from "../cache/shape.ts";
import { type ClusterKind, clusterPaths } from "../records/state.ts";
import { up } from "./up.ts";
import { startWatchdog } from "./watchdog.ts";

/** Options of a cluster for a suite. */
export interface RealClusterOptions {
  /** The required parts: only the API server, also the controllers and the scheduler, or also a node that runs pods. */
  readonly need: ClusterKind;
  /** Number of nodes, if `need` is `node`. Default: 1. */
  readonly nodes?: number;
  /** Flags of the API server, if this call starts one. */
  readonly apiserverFlags?: readonly string[];
  /**
   * A cluster that several processes share, and the process that owns it.
   *
   * The first caller starts it, the others use it. `stop` does nothing: the owner removes the cluster (`watchdog-main`); if the
   * owner was killed, the next start of any cluster does.
   */
  readonly shared?: { readonly name: string; readonly ownerPid: number };
  readonly env?: Environment;
  readonly signal?: AbortSignal;
  /** Called with a line of progress. Default: no progress. */
  readonly report?: (line: string) => void;
}

/** A real Kubernetes for a suite. Credentials are PEM; with a client certificate if this tool started the cluster. */
export interface RealCluster extends ApiAccess, AsyncDisposable {
  readonly kubeconfigPath: string;
  /** True for the user's own cluster, given by a kubeconfig: suites must not stop it, and it contains other objects. */
  readonly isExternal: boolean;
  /** Sends one request as the administrator. */
  request(request: ApiRequest): Promise<ApiResponse>;
  /** Stops and removes the cluster, unless it is the user's own. Can be called twice. */
  stop(): Promise<void>;
}

/**
 * Returns a real Kubernetes for a suite: the user's own if requested, else one started for this process.
 *
 * Binaries come from `KUBEBUILDER_ASSETS`, else from the cache, else they are built with Go (minutes, once). The cluster is removed
 * when `stop` is called or the scope ends, and also when this process exits or is killed.
 *
 * Throws {@link RealClusterUnavailableError}, with the reason in one sentence, if none is available.
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
  const watchdog = startWatchdog(name, env);
  const stop = async (): Promise<void> => {
    await down(name, { env, report });
    watchdog.dismiss();
  };
  try {
    const started = await up({
      name,
      kind: need,
      nodes: options.nodes,
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
  // Without an owner, the next start of a cluster would remove it as an orphan while suites use it.
  if (owner === undefined)
    throw new RealClusterUnavailableError(`Process ${ownerPid}, the owner of ${name}, is not running.`);
  const { record, folder } = await up({ ...rest, name, kind: need, owner });
  const kubeconfigPath = clusterPaths(folder).kubeconfig;
  return cluster(adminAccess(record, folder), { kubeconfigPath, isExternal: false, stop: async () => undefined });
}

/**
 * Returns the reason why {@link realCluster} would fail, in one sentence, or undefined.
 *
 * Use it as the reason of a skipped suite: `describe("…", { skip: await whyNoRealCluster({ need: "node" }) }, …)`.
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
      throw unavailable("does not respond. Start it, or unset HOMEOSTAT_E2E_KUBECONFIG and HOMEOSTAT_E2E.", cause);
    }
  };
  const { status } = await ask("/api/v1/namespaces?limit=1");
  if (status !== 200) throw unavailable(`denied access (status ${status}); the suites need administrator permissions.`);
  if (need === "node") {
    const nodes = list((await ask("/api/v1/nodes")).body, "items");
    const isReady = (node: unknown): boolean =>
      list(node, "status", "conditions").some((one) => text(one, "type") === "Ready" && text(one, "status") === "True");
    if (!nodes.some(isReady)) throw unavailable("has no ready node.");
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

/** Returns a unique name: several suites may run at once. */
function nextName(): string {
  count += 1;
  return `test-${process.pid}-${count}`;
}
