import { Malformed } from "./malformed.ts";
import { escapeBytes, isEscapedForm, unescapeBytes, type UrlPart } from "./url-escape.ts";
import { isOptionalPort, type UrlParts } from "./url-parse.ts";
import { fromByteText } from "./utf8-text.ts";

/** Formats a URL. URLs that are equal in Kubernetes have the same form. */
export function formatUrl(url: UrlParts): string {
  let text = url.scheme === "" ? "" : `${url.scheme}:`;
  if (url.opaque !== "") {
    text += url.opaque;
  } else {
    text += formatAuthority(url);
    const path = escaped(url.path, url.writtenPath, "path");
    if (path !== "" && !path.startsWith("/") && url.host !== "") text += "/";
    text += path;
  }
  if (url.forcesQuery || url.query !== "") text += `?${url.query}`;
  if (url.fragment !== "") text += `#${escaped(url.fragment, url.writtenFragment, "fragment")}`;
  return fromByteText(text);
}

/** Returns the host with its port; an IPv6 address is in brackets. */
export function hostOf(url: UrlParts): string {
  return fromByteText(url.host);
}

/** Returns the host without port and brackets. */
export function hostnameOf(url: UrlParts): string {
  const { hostname } = splitPort(url.host);
  const isBracketed = hostname.startsWith("[") && hostname.endsWith("]");
  return fromByteText(isBracketed ? hostname.slice(1, -1) : hostname);
}

/** Returns the port; empty if there is none. */
export function portOf(url: UrlParts): string {
  return splitPort(url.host).port;
}

/** Returns the escaped path: the original one if it is valid, otherwise `path` escaped. */
export function escapedPathOf(url: UrlParts): string {
  return fromByteText(escaped(url.path, url.writtenPath, "path"));
}

const parametersMax = 10_000;

/**
 * Returns the unescaped query parameters: every key with its values in order.
 *
 * Omits parameters with a semicolon or an invalid escape, and all parameters if there are more than 10,000.
 */
export function queryOf(url: UrlParts): Map<string, string[]> {
  const values = new Map<string, string[]>();
  const parameters = url.query.split("&");
  if (parameters.length > parametersMax) return values;
  for (const parameter of parameters) {
    if (parameter === "" || parameter.includes(";")) continue;
    const equals = parameter.indexOf("=");
    const key = unescapeBytes(equals < 0 ? parameter : parameter.slice(0, equals), "query");
    const value = unescapeBytes(equals < 0 ? "" : parameter.slice(equals + 1), "query");
    if (key instanceof Malformed || value instanceof Malformed) continue;
    const name = fromByteText(key);
    const known = values.get(name);
    if (known === undefined) values.set(name, [fromByteText(value)]);
    else known.push(fromByteText(value));
  }
  return values;
}

function formatAuthority({ scheme, user, host, path, omitsHost }: UrlParts): string {
  const isAbsent = scheme === "" && host === "" && user === undefined;
  if (isAbsent || (omitsHost && host === "" && user === undefined)) return "";
  const slashes = host !== "" || path !== "" || user !== undefined ? "//" : "";
  return `${slashes}${user === undefined ? "" : `${formatUser(user)}@`}${escapeBytes(host, "host")}`;
}

function formatUser({ name, password }: NonNullable<UrlParts["user"]>): string {
  const escapedName = escapeBytes(name, "user");
  return password === undefined ? escapedName : `${escapedName}:${escapeBytes(password, "user")}`;
}

function escaped(bytes: string, written: string, part: UrlPart): string {
  if (written !== "" && isEscapedForm(written, part)) return written;
  return part === "path" && bytes === "*" ? "*" : escapeBytes(bytes, part);
}

function splitPort(host: string): { hostname: string; port: string } {
  const colon = host.lastIndexOf(":");
  if (colon < 0 || !isOptionalPort(host.slice(colon))) return { hostname: host, port: "" };
  return { hostname: host.slice(0, colon), port: host.slice(colon + 1) };
}
