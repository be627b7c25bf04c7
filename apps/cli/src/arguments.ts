import { parseArgs } from "node:util";
import { parseIntegerOption, parseOptions, UsageError } from "@homeostat/core";
import { type DashboardArguments, readDashboardArguments } from "./dashboard/arguments.ts";
import { type GenerateTypesArguments, readGenerateArguments } from "./generate/arguments.ts";
import { readRehearseArguments, type RehearseArguments } from "./rehearse/arguments.ts";

/** Parsed arguments of `homeostat cluster`. */
export interface ClusterArguments {
  readonly run: "cluster";
  /** Data directory; undefined keeps all state in memory. */
  readonly data: string | undefined;
  readonly fsync: boolean;
  /** Port to listen on; undefined picks a free one. */
  readonly port: number | undefined;
  readonly host: string | undefined;
  readonly isOpenToNetwork: boolean;
  /** Path of the kubeconfig to write; undefined for a file in a temporary directory. Both are removed on exit. */
  readonly kubeconfig: string | undefined;
  /** File of the audit log, `-` for standard output; undefined for none. */
  readonly auditLogPath: string | undefined;
  readonly parts: "all" | "api";
  /** Number of simulated nodes. */
  readonly nodes: number;
  readonly isVerbose: boolean;
  /** Command to run against the cluster, which stops when the command exits; empty to run until interrupted. */
  readonly command: readonly string[];
}

/** Parsed command line of `homeostat`. */
export type Arguments =
  | ClusterArguments
  | DashboardArguments
  | GenerateTypesArguments
  | RehearseArguments
  | { readonly run: "assets" }
  | { readonly run: "create"; readonly words: readonly string[] }
  | { readonly run: "version" }
  | { readonly run: "help"; readonly of: "homeostat" | "cluster" | "dashboard" | "generate" | "rehearse" | "assets" };

const nodesMax = 100;

const options = {
  data: { type: "string" },
  "no-fsync": { type: "boolean" },
  port: { type: "string" },
  host: { type: "string" },
  "open-to-network": { type: "boolean" },
  kubeconfig: { type: "string" },
  "audit-log-path": { type: "string" },
  "api-only": { type: "boolean" },
  nodes: { type: "string" },
  verbose: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Parses the arguments after `homeostat`. Throws a {@link UsageError} for an invalid command line. */
export function readArguments(words: readonly string[]): Arguments {
  const [name, ...rest] = words;
  if (name === undefined || name === "help" || name === "--help" || name === "-h")
    return { run: "help", of: "homeostat" };
  if (name === "version" || name === "--version") return { run: "version" };
  if (name === "assets") return assetsArguments(rest);
  if (name === "create") return { run: "create", words: rest };
  if (name === "rehearse") return readRehearseArguments(rest);
  if (name === "generate") return readGenerateArguments(rest);
  if (name === "dashboard") return readDashboardArguments(rest);
  if (name !== "cluster") {
    throw new UsageError(
      `Unknown command "${name}". Available commands: create, cluster, dashboard, generate, rehearse, assets, version. See homeostat --help.`,
    );
  }
  const separator = rest.indexOf("--");
  const clusterOptions = separator < 0 ? rest : rest.slice(0, separator);
  const parse = () => parseArgs({ args: clusterOptions, options, allowPositionals: false });
  const { values } = parseOptions(parse, "See homeostat cluster --help.");
  if (values.help === true) return { run: "help", of: "cluster" };
  if (values["no-fsync"] === true && values.data === undefined) {
    throw new UsageError("--no-fsync requires --data.");
  }
  return {
    run: "cluster",
    data: values.data,
    fsync: values["no-fsync"] !== true,
    port: values.port === undefined ? undefined : parseIntegerOption("--port", values.port, { min: 0, max: 65_535 }),
    host: values.host,
    isOpenToNetwork: values["open-to-network"] === true,
    kubeconfig: values.kubeconfig,
    auditLogPath: values["audit-log-path"],
    parts: values["api-only"] === true ? "api" : "all",
    nodes: values.nodes === undefined ? 1 : parseIntegerOption("--nodes", values.nodes, { min: 0, max: nodesMax }),
    isVerbose: values.verbose === true,
    command: separator < 0 ? [] : rest.slice(separator + 1),
  };
}

function assetsArguments(words: readonly string[]): Arguments {
  if (words.includes("--help") || words.includes("-h")) return { run: "help", of: "assets" };
  const [first] = words;
  if (first === undefined) return { run: "assets" };
  throw new UsageError(`homeostat assets takes no arguments, got ${first}. See homeostat assets --help.`);
}
