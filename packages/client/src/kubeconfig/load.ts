import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { connectionOf, type Connection } from "./connection.ts";
import { KubeconfigError } from "./errors.ts";
import { inClusterConnection, isInCluster } from "./in-cluster.ts";
import type { Kubeconfig } from "./kubeconfig.ts";
import { mergeKubeconfigs } from "./merge.ts";
import { parseKubeconfig } from "./parse.ts";

/** Options for loading a kubeconfig. The defaults are those of kubectl. */
export interface LoadOptions {
  /** The file to load, which must exist. No other file is read. */
  readonly file?: string;
  /** The context to use. Default: the current context. */
  readonly context?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
}

/**
 * Loads the kubeconfig that kubectl would use: `file`; or the files of `KUBECONFIG`, some of which may be missing; or
 * `~/.kube/config`. Returns undefined if none of them exists.
 */
export async function loadKubeconfig(options: LoadOptions = {}): Promise<Kubeconfig | undefined> {
  const { env = process.env, home = homedir() } = options;
  const listed = env["KUBECONFIG"]?.split(delimiter).filter((path) => path !== "") ?? [];
  const paths =
    options.file === undefined ? (listed.length > 0 ? listed : [join(home, ".kube", "config")]) : [options.file];
  const configs: Kubeconfig[] = [];
  for (const path of new Set(paths.map((each) => resolve(each)))) {
    const text = await read(path, options.file !== undefined);
    if (text !== undefined) configs.push(await parseKubeconfig(text, { file: path, folder: dirname(path) }));
  }
  return configs.length === 0 ? undefined : mergeKubeconfigs(configs);
}

/**
 * Returns the connection to use: that of the kubeconfig if it is not empty, else that of the service account of the pod, in the
 * same order as kubectl. A context in the options must exist in a kubeconfig.
 */
export async function loadConnection(options: LoadOptions = {}): Promise<Connection> {
  const { env = process.env } = options;
  const config = await loadKubeconfig(options);
  const isExplicit = options.file !== undefined || options.context !== undefined;
  if (config !== undefined && (isExplicit || !isEmpty(config))) return connectionOf(config, options.context);
  if (isInCluster(env) && !isExplicit) return inClusterConnection({ env });
  throw new KubeconfigError({
    file: env["KUBECONFIG"] ?? "~/.kube/config",
    problem:
      options.context === undefined
        ? `${config === undefined ? "does not exist" : "is empty"}, and this process does not run in a pod`
        : `does not exist, so there is no context "${options.context}"`,
    remedy: "Set KUBECONFIG to the path of a kubeconfig, or pass one.",
  });
}

function isEmpty({ currentContext, clusters, users, contexts }: Kubeconfig): boolean {
  return currentContext === undefined && clusters.size + users.size + contexts.size === 0;
}

async function read(path: string, mustExist: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" && !mustExist) return undefined;
    const [problem, remedy] = reasons[String(code)] ?? ["cannot be read", "Check the path and its permissions."];
    throw new KubeconfigError({ file: path, problem, remedy }, { cause: error });
  }
}

const reasons: Readonly<Record<string, readonly [string, string]>> = {
  ENOENT: ["does not exist", "Check the path."],
  EACCES: ["permission denied", "Change its permissions, or run as its owner."],
  EISDIR: ["is a directory", "Use a file in it."],
};
