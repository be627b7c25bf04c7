import { quoteBytes } from "./go-quote.ts";
import { parseIpAddress } from "./ip-address.ts";
import { Malformed } from "./malformed.ts";
import { escapeBytes, unescapeBytes } from "./url-escape.ts";
import { toByteText } from "./utf8-text.ts";

/** The parts of a URL: unescaped byte strings unless stated otherwise. */
export interface UrlParts {
  /** Lowercase scheme without the colon; empty if there is none. */
  readonly scheme: string;
  /** The part after the scheme of a URL such as `mailto:a@b`, not unescaped. */
  readonly opaque: string;
  readonly user: UrlUser | undefined;
  /** `host` or `host:port`; an IPv6 address is in brackets. */
  readonly host: string;
  /** True if the URL has the form `scheme:/path`, without `//`. */
  readonly omitsHost: boolean;
  readonly path: string;
  /** The original path if it differs from the escaped `path`, otherwise empty. */
  readonly writtenPath: string;
  /** The query without the question mark, not unescaped. */
  readonly query: string;
  /** True if the URL has a question mark with an empty query. */
  readonly forcesQuery: boolean;
  readonly fragment: string;
  /** The original fragment if it differs from the escaped `fragment`, otherwise empty. */
  readonly writtenFragment: string;
}

/** The user information before the `@`. */
export interface UrlUser {
  readonly name: string;
  /** Undefined if there is no colon. */
  readonly password: string | undefined;
}

/**
 * Parses a URL as Kubernetes does: an absolute URI, or a path that starts with a slash.
 *
 * Follows RFC 3986 as Go's `net/url` implements it, not the rules of browsers: nothing is trimmed, corrected or converted to an ASCII
 * host name. The fragment is first validated as part of the rest of the URL and then split off.
 */
export function parseUrl(text: string): UrlParts | Malformed {
  const bytes = toByteText(text);
  const request = parseRequestUrl(bytes);
  if (request instanceof Malformed) return request;
  return parseReference(bytes);
}

/** Returns the problem if a string is not a URL: the check of {@link parseUrl} without its result. */
export function checkUrl(text: string): Malformed | undefined {
  const parts = parseRequestUrl(toByteText(text));
  return parts instanceof Malformed ? parts : undefined;
}

/** Parses a URL that must be absolute and in which `#` has no meaning. */
function parseRequestUrl(bytes: string): UrlParts | Malformed {
  const parts = parseParts(bytes, { mustBeAbsolute: true });
  return parts instanceof Malformed ? withInput(bytes, parts) : parts;
}

/** Parses any URL reference, with its fragment. */
function parseReference(bytes: string): UrlParts | Malformed {
  const hash = bytes.indexOf("#");
  const before = hash < 0 ? bytes : bytes.slice(0, hash);
  const written = hash < 0 ? "" : bytes.slice(hash + 1);
  const parts = parseParts(before, { mustBeAbsolute: false });
  if (parts instanceof Malformed) return withInput(before, parts);
  const fragment = unescapeBytes(written, "fragment");
  if (fragment instanceof Malformed) return withInput(bytes, fragment);
  return { ...parts, fragment, writtenFragment: escapeBytes(fragment, "fragment") === written ? "" : written };
}

function withInput(bytes: string, { problem }: Malformed): Malformed {
  return new Malformed(`parse ${quoteBytes(bytes)}: ${problem}`);
}

const nothing: UrlParts = {
  scheme: "",
  opaque: "",
  user: undefined,
  host: "",
  omitsHost: false,
  path: "",
  writtenPath: "",
  query: "",
  forcesQuery: false,
  fragment: "",
  writtenFragment: "",
};

function parseParts(bytes: string, { mustBeAbsolute }: { mustBeAbsolute: boolean }): UrlParts | Malformed {
  // eslint-disable-next-line no-control-regex -- URLs must not contain control characters
  if (/[\x00-\x1f\x7f]/.test(bytes)) return new Malformed("net/url: invalid control character in URL");
  if (bytes === "" && mustBeAbsolute) return new Malformed("empty url");
  if (bytes === "*") return { ...nothing, path: "*" };
  if (bytes.startsWith(":")) return new Malformed("missing protocol scheme");

  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*(?=:)/.exec(bytes)?.[0] ?? "";
  const afterScheme = scheme === "" ? bytes : bytes.slice(scheme.length + 1);
  const mark = afterScheme.indexOf("?");
  const rest = mark < 0 ? afterScheme : afterScheme.slice(0, mark);
  const common = {
    ...nothing,
    scheme: scheme.toLowerCase(),
    query: mark < 0 ? "" : afterScheme.slice(mark + 1),
    forcesQuery: mark >= 0 && mark === afterScheme.length - 1,
  };

  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...common, opaque: rest };
    if (mustBeAbsolute) return new Malformed("invalid URI for request");
    const slash = rest.indexOf("/");
    const colon = rest.indexOf(":");
    if (colon >= 0 && (slash < 0 || colon < slash)) {
      return new Malformed("first path segment in URL cannot contain colon");
    }
  }

  const mayHaveAuthority = scheme !== "" || (!mustBeAbsolute && !rest.startsWith("///"));
  if (!mayHaveAuthority || !rest.startsWith("//")) {
    return withPath({ ...common, omitsHost: scheme !== "" && rest.startsWith("/") }, rest);
  }
  const slash = rest.indexOf("/", 2);
  const authority = parseAuthority(common.scheme, slash < 0 ? rest.slice(2) : rest.slice(2, slash));
  if (authority instanceof Malformed) return authority;
  return withPath({ ...common, ...authority }, slash < 0 ? "" : rest.slice(slash));
}

function withPath(parts: UrlParts, written: string): UrlParts | Malformed {
  const path = unescapeBytes(written, "path");
  if (path instanceof Malformed) return path;
  return { ...parts, path, writtenPath: escapeBytes(path, "path") === written ? "" : written };
}

function parseAuthority(scheme: string, authority: string): Pick<UrlParts, "user" | "host"> | Malformed {
  const sign = authority.lastIndexOf("@");
  const host = parseHost(scheme, authority.slice(sign + 1));
  if (host instanceof Malformed) return host;
  if (sign < 0) return { user: undefined, host };

  const information = authority.slice(0, sign);
  if (!/^[A-Za-z0-9._:~!$&'()*+,;=%@-]*$/.test(information)) return new Malformed("net/url: invalid userinfo");
  const colon = information.indexOf(":");
  const name = unescapeBytes(colon < 0 ? information : information.slice(0, colon), "user");
  if (name instanceof Malformed) return name;
  const password = colon < 0 ? undefined : unescapeBytes(information.slice(colon + 1), "user");
  if (password instanceof Malformed) return password;
  return { user: { name, password }, host };
}

function parseHost(scheme: string, host: string): string | Malformed {
  const bracket = host.lastIndexOf("[");
  if (bracket > 0) return new Malformed("invalid IP-literal");
  if (bracket === 0) return parseBracketedHost(host);

  const firstColon = host.indexOf(":");
  if (firstColon >= 0) {
    // Other schemes may have colons in the host, such as in a list of servers; there only the last colon starts a port.
    const isWeb = scheme === "http" || scheme === "https";
    const port = host.slice(isWeb ? firstColon : host.lastIndexOf(":"));
    if (!isOptionalPort(port)) return new Malformed(`invalid port ${quoteBytes(port)} after host`);
  }
  return unescapeBytes(host, "host");
}

/** Parses an IPv6 address in brackets, with an optional zone (`%25eth0`) and an optional port. */
function parseBracketedHost(host: string): string | Malformed {
  const end = host.lastIndexOf("]");
  if (end < 0) return new Malformed("missing ']' in host");
  const port = host.slice(end + 1);
  if (!isOptionalPort(port)) return new Malformed(`invalid port ${quoteBytes(port)} after host`);

  const inside = host.slice(1, end);
  const zoneAt = inside.indexOf("%25");
  const address = unescapeBytes(zoneAt < 0 ? inside : inside.slice(0, zoneAt), "host");
  if (address instanceof Malformed) return address;
  const zone = zoneAt < 0 ? "" : unescapeBytes(inside.slice(zoneAt), "zone");
  if (zone instanceof Malformed) return zone;

  const parsed = parseIpAddress(address + zone);
  if (parsed instanceof Malformed) return new Malformed(`invalid host: ${parsed.problem}`);
  if (parsed.family === 4) return new Malformed("invalid IP-literal");
  return `[${address}${zone}]${port}`;
}

/** Reports whether a string is empty or a colon followed by any number of digits. */
export function isOptionalPort(text: string): boolean {
  return /^(?::[0-9]*)?$/.test(text);
}
