import { unescapePercent } from "./query.ts";

/** The target in the request line. */
export interface RequestTarget {
  /** Decoded path. */
  readonly path: string;
  /** Query string as sent, without the question mark. */
  readonly queryText: string;
  /** Target as sent, without scheme and host, for messages. */
  readonly uri: string;
  /** Host of a target in absolute form, such as `https://host/path`. */
  readonly host?: string;
}

/** Parses the target of a request. Returns undefined for one that kube-apiserver rejects with 400. */
export function parseRequestTarget(raw: string): RequestTarget | undefined {
  // Node decodes the request line as latin1; non-ASCII bytes are UTF-8.
  const target = /\P{ASCII}/u.test(raw) ? Buffer.from(raw, "latin1").toString("utf8") : raw;
  if (target.startsWith("/")) return fromUri(target);
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target);
  if (absolute === null) return undefined;
  const [, host = "", rest = ""] = absolute;
  const found = fromUri(rest.startsWith("/") ? rest : `/${rest}`);
  return found === undefined ? undefined : { ...found, host };
}

function fromUri(uri: string): RequestTarget | undefined {
  // Control characters and spaces are invalid in a URL, but Node's parsers accept some of them.
  if (/[\p{Cc} ]/u.test(uri)) return undefined;
  const question = uri.indexOf("?");
  const path = unescapePercent(question === -1 ? uri : uri.slice(0, question));
  if (path === undefined) return undefined;
  return { path, queryText: question === -1 ? "" : uri.slice(question + 1), uri };
}
