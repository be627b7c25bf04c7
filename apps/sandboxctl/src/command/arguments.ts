import { parseArgs } from "node:util";
import { parseIntegerOption, parseOptions, UsageError } from "@homeostat/core";
import { type PreviewArguments, readPreview } from "./preview-arguments.ts";
import { type ConnectionArguments, connectionOf, connectionOptions } from "./connection-arguments.ts";

/** Parsed arguments of `sandboxctl policy check`. */
export interface PolicyCheckArguments extends ConnectionArguments {
  readonly run: "policy check";
  /** Files to check. `-` is standard input. */
  readonly files: readonly string[];
}

/** Parsed arguments of `sandboxctl route explain`. */
export interface ExplainArguments extends ConnectionArguments {
  readonly run: "route explain";
  /** Namespace of the Service; undefined for the default. */
  readonly service: { readonly namespace: string | undefined; readonly name: string };
  readonly port: number | undefined;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Address of the query port of the route server; undefined to read the RouteTable. */
  readonly server: URL | undefined;
}

/** Parsed command line of `sandboxctl`. */
export type Arguments =
  | PolicyCheckArguments
  | ExplainArguments
  | PreviewArguments
  | { readonly run: "help"; readonly of: "sandboxctl" | "policy check" | "route explain" };

const policyCheckOptions = { ...connectionOptions, filename: { type: "string", short: "f", multiple: true } } as const;

const explainOptions = {
  ...connectionOptions,
  service: { type: "string" },
  port: { type: "string" },
  key: { type: "string" },
  method: { type: "string" },
  path: { type: "string" },
  header: { type: "string", multiple: true },
  server: { type: "string" },
} as const;

/** Parses the arguments after `sandboxctl`. Throws a {@link UsageError} for an invalid command line. */
export function readArguments(words: readonly string[]): Arguments {
  const [first, second, ...rest] = words;
  if (first === undefined || first === "help" || first === "--help" || first === "-h")
    return { run: "help", of: "sandboxctl" };
  if (first === "explain") return readExplain(words.slice(1));
  if (first === "preview") return readPreview(words.slice(1));
  if (first === "policy") {
    if (second === "check") return readPolicyCheck(rest);
    if (isHelp(second)) return { run: "help", of: "policy check" };
    throw new UsageError(`sandboxctl policy requires the command check. See sandboxctl --help.`);
  }
  if (first === "route") {
    if (second === "explain") return readExplain(rest);
    if (isHelp(second)) return { run: "help", of: "route explain" };
    throw new UsageError(`sandboxctl route requires the command explain. See sandboxctl --help.`);
  }
  throw new UsageError(
    `Unknown command ${JSON.stringify(first)}. Available commands: policy check, preview, route explain. See sandboxctl --help.`,
  );
}

function isHelp(word: string | undefined): boolean {
  return word === "--help" || word === "-h";
}

function readPolicyCheck(words: readonly string[]): Arguments {
  const hint = "See sandboxctl policy check --help.";
  const parse = () => parseArgs({ args: [...words], options: policyCheckOptions, allowPositionals: false });
  const { values } = parseOptions(parse, hint);
  if (values.help === true) return { run: "help", of: "policy check" };
  const files = values.filename ?? [];
  if (files.length === 0) throw new UsageError(`sandboxctl policy check requires -f FILE. ${hint}`);
  if (files.filter((file) => file === "-").length > 1)
    throw new UsageError("Standard input (-) can be read once only.");
  return { run: "policy check", files, ...connectionOf(values) };
}

function readExplain(words: readonly string[]): Arguments {
  const hint = "See sandboxctl route explain --help.";
  const parse = () => parseArgs({ args: [...words], options: explainOptions, allowPositionals: false });
  const { values } = parseOptions(parse, hint);
  if (values.help === true) return { run: "help", of: "route explain" };
  if (values.service === undefined) throw new UsageError(`sandboxctl route explain requires --service NAME. ${hint}`);
  const { method = "GET", path = "/", key, server } = values;
  if (!path.startsWith("/")) throw new UsageError(`--path is ${JSON.stringify(path)}; it must start with /.`);
  return {
    run: "route explain",
    service: serviceOf(values.service),
    port: values.port === undefined ? undefined : parseIntegerOption("--port", values.port, { min: 1, max: 65_535 }),
    method,
    path,
    headers: [...(key === undefined ? [] : [["x-routing-key", key] as const]), ...(values.header ?? []).map(headerOf)],
    server: server === undefined ? undefined : serverOf(server),
    ...connectionOf(values),
  };
}

function serviceOf(text: string): ExplainArguments["service"] {
  const parts = text.split("/");
  const [name = "", namespace] = parts.toReversed();
  if (parts.length > 2 || parts.includes("")) {
    throw new UsageError(`--service is ${JSON.stringify(text)}; it must be NAME or NAMESPACE/NAME.`);
  }
  return { namespace, name };
}

function headerOf(text: string): readonly [string, string] {
  const at = text.indexOf(":");
  if (at <= 0) throw new UsageError(`--header is ${JSON.stringify(text)}; it must be NAME:VALUE.`);
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

function serverOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new UsageError(`--server is ${JSON.stringify(text)}; it must be a URL such as http://127.0.0.1:7778.`);
  }
  return url;
}
