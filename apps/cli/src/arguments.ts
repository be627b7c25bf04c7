import { parseArgs } from "node:util";
import { type CompletionShell, completionShells, parseIntegerOption, parseOptions, UsageError } from "@homeostat/core";
import { clusterOptions } from "./cluster-options.ts";
import { type DashboardArguments, readDashboardArguments } from "./dashboard/arguments.ts";
import { type DevArguments, readDevArguments } from "./dev/arguments.ts";
import { type DoctorArguments, readDoctorArguments } from "./doctor/arguments.ts";
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
  | DevArguments
  | DoctorArguments
  | GenerateTypesArguments
  | RehearseArguments
  | { readonly run: "assets" }
  | { readonly run: "create"; readonly words: readonly string[] }
  | { readonly run: "version" }
  | { readonly run: "completion"; readonly shell: CompletionShell }
  /** Words of a command line that a shell completes, the last of which is not complete. */
  | { readonly run: "complete"; readonly words: readonly string[] }
  | { readonly run: "help"; readonly of: HelpTopic };

/** Commands with a help text of their own, and the program. */
export type HelpTopic =
  | "homeostat"
  | "cluster"
  | "dashboard"
  | "dev"
  | "doctor"
  | "generate"
  | "rehearse"
  | "assets"
  | "completion";

const nodesMax = 100;

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
  if (name === "dev") return readDevArguments(rest);
  if (name === "doctor") return readDoctorArguments(rest);
  if (name === "completion") return completionArguments(rest);
  if (name === "__complete") return { run: "complete", words: rest[0] === "--" ? rest.slice(1) : rest };
  if (name !== "cluster") {
    throw new UsageError(
      `Unknown command "${name}". Available commands: create, dev, cluster, dashboard, doctor, generate, rehearse, assets, completion, version. See homeostat --help.`,
    );
  }
  const separator = rest.indexOf("--");
  const own = separator < 0 ? rest : rest.slice(0, separator);
  const parse = () => parseArgs({ args: [...own], options: clusterOptions, allowPositionals: false });
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

function completionArguments([word, ...rest]: readonly string[]): Arguments {
  if (word === "--help" || word === "-h") return { run: "help", of: "completion" };
  const shell = completionShells.find((one) => one === word);
  if (shell === undefined || rest.length > 0) {
    const given = word === undefined ? "got none" : `got ${[word, ...rest].join(" ")}`;
    throw new UsageError(
      `homeostat completion requires one of ${completionShells.join(", ")}, ${given}. See homeostat completion --help.`,
    );
  }
  return { run: "completion", shell };
}

function assetsArguments(words: readonly string[]): Arguments {
  if (words.includes("--help") || words.includes("-h")) return { run: "help", of: "assets" };
  const [first] = words;
  if (first === undefined) return { run: "assets" };
  throw new UsageError(`homeostat assets takes no arguments, got ${first}. See homeostat assets --help.`);
}
