import { unescapePercent } from "./query.ts";

/** What the first line of a request asks for. */
export interface RequestTarget {
  /** The path with its escapes resolved, as rules and routes see it. */
  readonly path: string;
  /** What stands after the question mark, as it was sent. */
  readonly queryText: string;
  /** The target as it was sent, without scheme and host: for messages. */
  readonly uri: string;
  /** The host of a target that names one, such as `https://host/path`. */
  readonly host?: string;
}

/** Reads the target of a request, or undefined for one that an API server answers with 400. */
export function parseRequestTarget(sent: string): RequestTarget | undefined {
  // Node gives bytes as characters; a URL with more than ASCII in it is UTF-8.
  const target = /\P{ASCII}/u.test(sent) ? Buffer.from(sent, "latin1").toString("utf8") : sent;
  if (target.startsWith("/")) return fromUri(target);
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target);
  if (absolute === null) return undefined;
  const [, host = "", rest = ""] = absolute;
  const found = fromUri(rest.startsWith("/") ? rest : `/${rest}`);
  return found === undefined ? undefined : { ...found, host };
}

function fromUri(uri: string): RequestTarget | undefined {
  // A control character or a blank cannot stand in a URL; the parsers of Node let some of them through.
  if (/[\p{Cc} ]/u.test(uri)) return undefined;
  const question = uri.indexOf("?");
  const path = unescapePercent(question === -1 ? uri : uri.slice(0, question));
  if (path === undefined) return undefined;
  return { path, queryText: question === -1 ? "" : uri.slice(question + 1), uri };
}
