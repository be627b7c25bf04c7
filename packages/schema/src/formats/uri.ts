import { isAddress } from "./ip.ts";

/** Characters a host may hold unescaped, and escapes of bytes beyond ASCII. `%25` introduces the zone of an address. */
const host = /^(?:[A-Za-z0-9\-_.~!"$&'()*+,;=:<>[\]\u0080-\uffff]|%25|%[89A-Fa-f][0-9A-Fa-f])*$/;
/** As a host; further escapes of characters that could be written plainly, and of the space. */
const zone = /^(?:[A-Za-z0-9\-_.~!"$&'()*+,;=:<>[\]\u0080-\uffff]|%[0-9A-Fa-f]{2})*$/;
const zoneEscapes = /^[A-Za-z0-9\-_.~!"$&'()*+,;=:<>[\] %]$/;
const escaped = /^(?:[^%]|%[0-9A-Fa-f]{2})*$/;
const userInfo = /^[A-Za-z0-9._:~!$&'()*+,;=%@-]*$/;
const port = /^(?::[0-9]*)?$/;

/**
 * Whether a text has the format `uri`: an absolute URI, or a path that begins with a slash.
 *
 * These are the rules of a request line, without the corrections a browser makes; `#` has no meaning.
 */
export function isUri(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (text === "" || /[\u0000-\u001f\u007f]/.test(text) || text.startsWith(":")) return false;
  if (text === "*") return true;
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*(?=:)/.exec(text)?.[0];
  const rest = beforeMark(scheme === undefined ? text : text.slice(scheme.length + 1), "?");
  // What follows a scheme without a slash is opaque, as in `mailto:`.
  if (!rest.startsWith("/")) return scheme !== undefined;
  if (scheme === undefined || !rest.startsWith("//")) return escaped.test(rest);
  const authority = beforeMark(rest.slice(2), "/");
  return isAuthority(authority, scheme.toLowerCase()) && escaped.test(rest.slice(2 + authority.length));
}

function beforeMark(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

function isAuthority(authority: string, scheme: string): boolean {
  const sign = authority.lastIndexOf("@");
  const user = sign < 0 ? "" : authority.slice(0, sign);
  return userInfo.test(user) && escaped.test(user) && isHost(authority.slice(sign + 1), scheme);
}

function isHost(text: string, scheme: string): boolean {
  const bracket = text.lastIndexOf("[");
  if (bracket === 0) return isBracketed(text);
  if (bracket > 0) return false;
  const colon = text.indexOf(":");
  if (colon < 0) return host.test(text);
  // Other schemes may name several hosts with their ports; only what follows the last colon must be a port then.
  const isWeb = scheme === "http" || scheme === "https";
  return port.test(text.slice(isWeb ? colon : text.lastIndexOf(":"))) && host.test(text);
}

/** An IPv6 address in brackets, with or without a zone and a port. */
function isBracketed(text: string): boolean {
  const end = text.lastIndexOf("]");
  if (end < 0 || !port.test(text.slice(end + 1))) return false;
  const inside = text.slice(1, end);
  const percent = inside.indexOf("%25");
  const address = percent < 0 ? inside : inside.slice(0, percent);
  if (!address.includes(":") || !isAddress(address, "strict")) return false;
  const name = percent < 0 ? "" : inside.slice(percent);
  // The zone is what follows the first `%25`, and may not be empty.
  return name === "" || (name.length > 3 && zone.test(name) && everyEscape(name, isZoneEscape));
}

function everyEscape(text: string, isAllowed: (character: string) => boolean): boolean {
  return (text.match(/%[0-9A-Fa-f]{2}/g) ?? []).every((escape) =>
    isAllowed(String.fromCharCode(Number.parseInt(escape.slice(1), 16))),
  );
}

function isZoneEscape(character: string): boolean {
  return zoneEscapes.test(character);
}
