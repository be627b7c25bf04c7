// Schema fields about HTTP requests: paths, methods, headers.

import { s } from "homeostat";

export const urlPathProblem =
  "must start with / and contain neither .. nor //, nor a query, a fragment, spaces or control characters";

/** A path, or the prefix of a path, of a URL. */
export const urlPath = s
  .string()
  .min(1)
  .max(1024)
  .rule({
    rule: String.raw`self.matches(r'^/[^?#\x00-\x20\x7f]*$') && !self.contains('..') && !self.contains('//')`,
    message: urlPathProblem,
    reason: "FieldValueInvalid",
  });

/** The pattern of an HTTP header name: a token of RFC 9110. `\x60` is a backtick, which tables of documentation cannot quote. */
export const headerNamePattern: string = String.raw`^[!#$%&'*+.^_\x60|~0-9A-Za-z-]+$`;

/** The same pattern within a text literal of CEL. */
export const celHeaderNamePattern: string = headerNamePattern.replaceAll("'", String.raw`\'`);

export const headerNameProblem = "must be the name of an HTTP header: letters, digits and dashes";

export const headerName = s.string().min(1).max(128).pattern(headerNamePattern);

/** Hop-by-hop headers, which proxies do not forward (RFC 9110 section 7.6.1, and common practice). */
export const hopByHopHeaders: readonly string[] = [
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** Headers that cannot carry a routing key, because they have another meaning in HTTP or for tracers. */
export const meaningfulHeaders: readonly string[] = [
  "authorization",
  "baggage",
  "content-length",
  "cookie",
  "host",
  "set-cookie",
  "traceparent",
  "tracestate",
];

/** Prefix of the names of headers that only the proxy sets. */
export const ownHeaderPrefix = "x-sandbox-";

/** Headers that frame or address a message, or that the proxy writes itself. */
export const ownHeaders: readonly string[] = [
  "baggage",
  "content-length",
  "expect",
  "host",
  "traceparent",
  "tracestate",
  "x-route-key",
  "x-routing-key",
];

/** Returns a CEL list of texts. */
export function celList(texts: readonly string[]): string {
  return `[${texts.map((text) => `'${text}'`).join(", ")}]`;
}

const httpMethod = s.string().min(1).max(32).pattern("^[A-Z][A-Z-]*$");

/** A list of HTTP methods. */
export const httpMethods = s.list(httpMethod).set().max(16);

/** A condition on the path of a request: either a prefix or the whole path. */
export const pathMatch = s
  .object({
    prefix: urlPath
      .optional()
      .describe("Matches paths that start with these segments: /api/cart matches /api/cart/1, not /api/carts."),
    exact: urlPath.optional().describe("Matches only this path, without its query."),
  })
  .exactlyOneOf("prefix", "exact");

export const pathMatches = s.list(pathMatch).atomic().max(16);

export const headerValueProblem =
  "must consist of visible characters of Latin-1, with spaces and tabs only between them";

/** The value of a header, as proxies accept it. A line break would start another header. */
export const headerValue = s
  .string()
  .max(1024)
  .rule({
    rule: String.raw`self.matches(r'^([\x21-\x7e\x80-\xff]([\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$')`,
    message: headerValueProblem,
    reason: "FieldValueInvalid",
  });

/** A condition on a header of a request. */
export const headerMatch = s.object({
  name: headerName.describe("Name of the header, case-insensitive."),
  value: headerValue.describe("The value that the header must have."),
});

/** Conditions on headers. All of them must hold. */
export const headerMatches = s.list(headerMatch).mapBy("name").max(8);
