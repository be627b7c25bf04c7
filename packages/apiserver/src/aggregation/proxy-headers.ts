import type { User } from "../auth/user.ts";
import type { RequestHeaders } from "../http/handler.ts";

/** Headers that belong to one connection (RFC 9110, section 7.6.1) and are not forwarded. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Returns the headers of a forwarded request. The aggregated server trusts the front-proxy certificate and reads the user from
 * `X-Remote-*`, so whatever the client sent under these names is dropped, and so are its own credentials.
 */
export function forwardedHeaders(
  headers: RequestHeaders,
  { user, address, bodyBytes }: { readonly user: User; readonly address: string; readonly bodyBytes: number },
): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = {};
  const named = new Set(listOf(headers["connection"]).flatMap((value) => value.toLowerCase().split(/\s*,\s*/)));
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || isDropped(name) || named.has(name)) continue;
    result[name] = typeof value === "string" ? value : [...value];
  }
  if (bodyBytes > 0) result["content-length"] = String(bodyBytes);
  const before = listOf(headers["x-forwarded-for"]);
  result["x-forwarded-for"] = [...before, address].join(", ");
  return { ...result, ...userHeaders(user) };
}

/** Returns the headers that name a user to an aggregated server. */
export function userHeaders({ name, uid, groups, extra }: User): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = { "X-Remote-User": name };
  if (uid !== "") result["X-Remote-Uid"] = uid;
  if (groups.length > 0) result["X-Remote-Group"] = [...groups];
  for (const [key, values] of Object.entries(extra)) result[`X-Remote-Extra-${escapedKey(key)}`] = [...values];
  return result;
}

/** Returns the headers of a response for the client. */
export function returnedHeaders(rawHeaders: readonly string[]): Record<string, string | readonly string[]> {
  const result = new Map<string, string[]>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = [rawHeaders[at], rawHeaders[at + 1]];
    const lower = name.toLowerCase();
    if (hopByHop.has(lower) || lower === "content-length" || lower.startsWith("access-control-")) continue;
    result.set(name, [...(result.get(name) ?? []), value]);
  }
  return Object.fromEntries(
    [...result].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]),
  );
}

function isDropped(name: string): boolean {
  return (
    hopByHop.has(name) ||
    name === "authorization" ||
    name === "host" ||
    name === "content-length" ||
    name.startsWith(":") ||
    name.startsWith("impersonate-") ||
    name.startsWith("x-remote-")
  );
}

/** Escapes the characters of a key that a header name cannot have, as `transport.headerKeyEscape` of client-go does. */
function escapedKey(key: string): string {
  return [...Buffer.from(key, "utf8")]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(letter)
        ? letter
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === "string" ? [value] : value;
}
