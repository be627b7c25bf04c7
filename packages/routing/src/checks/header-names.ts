/** Hop-by-hop header fields, which are not forwarded, in addition to those that `connection` names (RFC 9110, 7.6.1). */
export const hopByHopNames: readonly string[] = [
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
];

const hopByHop: ReadonlySet<string> = new Set(hopByHopNames);

/**
 * Fields that a route may not set: they frame the message or address it, or the proxy writes them itself. A key that a route
 * could write into `baggage` would replace the key of the request.
 */
const ownNames: ReadonlySet<string> = new Set([
  "baggage",
  "content-length",
  "expect",
  "host",
  "traceparent",
  "tracestate",
  "trailer",
  "x-route-key",
  "x-routing-key",
]);

/** Fields with credentials or addressing, which cannot carry a routing key. */
const neverKeyNames: ReadonlySet<string> = new Set([
  "authorization",
  "baggage",
  "content-length",
  "cookie",
  "host",
  "set-cookie",
  "traceparent",
  "tracestate",
]);

/** Prefix of the fields that proxies exchange with each other. */
const ownPrefix = "x-sandbox-";

/** Reports whether a lower-case name is that of a hop-by-hop field. */
export function isHopByHop(name: string): boolean {
  return hopByHop.has(name);
}

/** Reports whether a text is a token of HTTP (RFC 9110, 5.6.2): the name of a field or a method. */
export function isToken(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
}

/** Reports whether a text can be the value of a header field: visible characters, spaces and tabs, one byte each. */
export function isFieldValue(text: string): boolean {
  return /^(?:[\u0021-\u007e\u0080-\u00ff](?:[\t\u0020-\u007e\u0080-\u00ff]*[\u0021-\u007e\u0080-\u00ff])?)?$/.test(
    text,
  );
}

/** Returns the reason why a route may not set a header, or undefined if it may. */
export function settableHeaderProblem(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (!isToken(name)) return "is not the name of an HTTP header; use letters, digits and dashes";
  if (isHopByHop(lower)) return "is a hop-by-hop header and is never forwarded; remove it";
  if (ownNames.has(lower) || lower.startsWith(ownPrefix)) return "is written by the proxy; remove it";
  return undefined;
}

/** Returns the reason why a header cannot carry a routing key, or undefined if it can. */
export function keyHeaderProblem(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (!isToken(name)) return "is not the name of an HTTP header; use letters, digits and dashes";
  if (isHopByHop(lower)) return "is a hop-by-hop header and is never forwarded; choose another name";
  if (neverKeyNames.has(lower) || lower.startsWith(ownPrefix))
    return "has another meaning in HTTP or for the proxy; choose another name";
  return undefined;
}
