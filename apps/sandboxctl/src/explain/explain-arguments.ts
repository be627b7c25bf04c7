import { UsageError } from "@homeostat/core";
import type { CommandInput, ConnectionArguments } from "../command/input.ts";
import type { explainFlags } from "./definitions.ts";

/** The request to explain. */
export interface ExplainArguments {
  readonly connection: ConnectionArguments;
  /** Namespace of the Service; undefined for the default. */
  readonly service: { readonly namespace: string | undefined; readonly name: string };
  readonly port: number | undefined;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Address of the query port of the route server; undefined to read the RouteTable. */
  readonly server: URL | undefined;
}

/** Reads the options of `sandboxctl route explain`. Throws a {@link UsageError}. */
export function readExplainArguments(input: CommandInput<typeof explainFlags>): ExplainArguments {
  const service = input.text("service");
  if (service === undefined)
    throw new UsageError("sandboxctl route explain requires --service NAME. See sandboxctl route explain --help.");
  const path = input.text("path") ?? "/";
  if (!path.startsWith("/")) throw new UsageError(`--path is ${JSON.stringify(path)}; it must start with /.`);
  const key = input.text("key");
  const server = input.text("server");
  return {
    connection: input.connection,
    service: serviceOf(service),
    port: input.integer("port"),
    method: input.text("method") ?? "GET",
    path,
    headers: [...(key === undefined ? [] : [["x-routing-key", key] as const]), ...input.texts("header").map(headerOf)],
    server: server === undefined ? undefined : serverOf(server),
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
