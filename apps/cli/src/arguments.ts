import { parseArgs } from "node:util";
import { UsageError } from "./usage-error.ts";

/** What `homeostat cluster` is asked to do. */
export interface ClusterArguments {
  readonly run: "cluster";
  readonly data: string | undefined;
  readonly fsync: boolean;
  readonly port: number | undefined;
  readonly host: string | undefined;
  readonly isOpenToNetwork: boolean;
  /** Where to write the kubeconfig; undefined for a folder that goes with the process. */
  readonly kubeconfig: string | undefined;
  readonly parts: "all" | "api";
  readonly nodes: number;
  readonly isVerbose: boolean;
  /** What to run with the cluster, and stop it after; empty to run until somebody stops it. */
  readonly command: readonly string[];
}

/** What a command line asks for. */
export type Arguments =
  | ClusterArguments
  | { readonly run: "assets" }
  | { readonly run: "version" }
  | { readonly run: "help"; readonly of: "homeostat" | "cluster" | "assets" };

const nodesMax = 100;

const options = {
  data: { type: "string" },
  "no-fsync": { type: "boolean" },
  port: { type: "string" },
  host: { type: "string" },
  "open-to-network": { type: "boolean" },
  kubeconfig: { type: "string" },
  "api-only": { type: "boolean" },
  nodes: { type: "string" },
  verbose: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Reads the words after `homeostat`. Throws a {@link UsageError}. */
export function readArguments(words: readonly string[]): Arguments {
  const [name, ...rest] = words;
  if (name === undefined || name === "help" || name === "--help" || name === "-h")
    return { run: "help", of: "homeostat" };
  if (name === "version" || name === "--version") return { run: "version" };
  if (name === "assets") return assetsArguments(rest);
  if (name !== "cluster") {
    throw new UsageError(`homeostat knows no command "${name}". There are: cluster, assets. See homeostat --help.`);
  }
  const at = rest.indexOf("--");
  const own = at < 0 ? rest : rest.slice(0, at);
  const values = valuesOf(own);
  if (values.help === true) return { run: "help", of: "cluster" };
  if (values["no-fsync"] === true && values.data === undefined) {
    throw new UsageError("--no-fsync is about the folder of --data, and there is none.");
  }
  return {
    run: "cluster",
    data: values.data,
    fsync: values["no-fsync"] !== true,
    port: values.port === undefined ? undefined : whole("--port", values.port, 0, 65_535),
    host: values.host,
    isOpenToNetwork: values["open-to-network"] === true,
    kubeconfig: values.kubeconfig,
    parts: values["api-only"] === true ? "api" : "all",
    nodes: values.nodes === undefined ? 1 : whole("--nodes", values.nodes, 0, nodesMax),
    isVerbose: values.verbose === true,
    command: at < 0 ? [] : rest.slice(at + 1),
  };
}

function assetsArguments(words: readonly string[]): Arguments {
  if (words.includes("--help") || words.includes("-h")) return { run: "help", of: "assets" };
  const [first] = words;
  if (first === undefined) return { run: "assets" };
  throw new UsageError(`homeostat assets takes no options, but was given ${first}. See homeostat assets --help.`);
}

function valuesOf(words: readonly string[]): ReturnType<typeof parse>["values"] {
  try {
    return parse(words).values;
  } catch (error) {
    const problem = plain(error instanceof Error ? error.message : String(error));
    throw new UsageError(`${problem.replace(/\.?$/, ".")} See homeostat cluster --help.`, { cause: error });
  }
}

/** Node explains in three lines that an option stands where the value of another is missing. */
function plain(problem: string): string {
  const [, option] = /^Option '(\S+)' argument is ambiguous/.exec(problem) ?? [];
  return option === undefined ? problem : `${option} needs a value, and another option follows it`;
}

function parse(words: readonly string[]): ReturnType<typeof parseArgs<{ options: typeof options }>> {
  return parseArgs({ args: [...words], options, allowPositionals: false });
}

function whole(option: string, text: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`${option} is ${JSON.stringify(text)}; it must be a whole number from ${min} to ${max}.`);
}
