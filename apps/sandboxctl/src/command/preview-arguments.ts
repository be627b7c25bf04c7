import { parseArgs } from "node:util";
import { parseOptions, UsageError } from "@homeostat/core";
import { type ConnectionArguments, connectionOf, connectionOptions } from "./connection-arguments.ts";

/** An object with endpoints. */
export interface PreviewTarget {
  readonly kind: "Sandbox" | "RouteGroup";
  readonly name: string;
}

/** Parsed arguments of `sandboxctl preview open`. */
export interface PreviewOpenArguments extends ConnectionArguments {
  readonly run: "preview open";
  readonly target: PreviewTarget;
  /** Undefined for the only endpoint of the object. */
  readonly endpoint: string | undefined;
}

/** Parsed arguments of `sandboxctl preview link`. */
export interface PreviewLinkArguments extends ConnectionArguments {
  readonly run: "preview link";
  readonly target: PreviewTarget;
  readonly endpoint: string;
  readonly expires: string;
}

/** Parsed arguments of `sandboxctl preview links`. */
export interface PreviewLinksArguments extends ConnectionArguments {
  readonly run: "preview links";
}

/** Parsed arguments of `sandboxctl preview revoke`. */
export interface PreviewRevokeArguments extends ConnectionArguments {
  readonly run: "preview revoke";
  readonly id: string;
}

export type PreviewArguments =
  | PreviewOpenArguments
  | PreviewLinkArguments
  | PreviewLinksArguments
  | PreviewRevokeArguments
  | { readonly run: "help"; readonly of: "preview" };

const options = { ...connectionOptions, routegroup: { type: "boolean" }, expires: { type: "string" } } as const;
const commands = ["open", "link", "links", "revoke"] as const;
const hint = "See sandboxctl preview --help.";

/** Parses the arguments after `sandboxctl preview`. */
export function readPreview(words: readonly string[]): PreviewArguments {
  const [word, ...rest] = words;
  if (word === "--help" || word === "-h") return { run: "help", of: "preview" };
  const command = commands.find((each) => each === word);
  if (command === undefined)
    throw new UsageError(`sandboxctl preview requires one of the commands ${commands.join(", ")}. ${hint}`);
  const parse = () => parseArgs({ args: [...rest], options, allowPositionals: true });
  const { values, positionals } = parseOptions(parse, hint);
  if (values.help === true) return { run: "help", of: "preview" };
  if (values.expires !== undefined && command !== "link")
    throw new UsageError(`--expires is an option of sandboxctl preview link. ${hint}`);
  const connection = connectionOf(values);
  const [first, second] = positionals;
  const kind = values.routegroup === true ? "RouteGroup" : "Sandbox";
  switch (command) {
    case "open":
      if (first === undefined || positionals.length > 2) throw usage("open NAME [ENDPOINT]");
      return { run: "preview open", target: { kind, name: first }, endpoint: second, ...connection };
    case "link":
      if (first === undefined || second === undefined || positionals.length > 2) throw usage("link NAME ENDPOINT");
      return {
        run: "preview link",
        target: { kind, name: first },
        endpoint: second,
        expires: expiresOf(values.expires),
        ...connection,
      };
    case "links":
      if (first !== undefined) throw usage("links");
      return { run: "preview links", ...connection };
    case "revoke":
      if (first === undefined || positionals.length > 1) throw usage("revoke ID");
      return { run: "preview revoke", id: first, ...connection };
  }
}

function usage(form: string): UsageError {
  return new UsageError(`The form is sandboxctl preview ${form}. ${hint}`);
}

function expiresOf(text = "8h"): string {
  if (/^[0-9]+(s|m|h|d|w)?$/.test(text)) return text;
  throw new UsageError(
    `--expires is ${JSON.stringify(text)}; it must be a duration such as 30m, 8h or 7d, at most 28d.`,
  );
}
