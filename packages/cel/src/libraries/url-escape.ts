import { Malformed } from "./malformed.ts";
import { quoteBytes } from "./go-quote.ts";

/** The part of a URL that a text stands in. Each has its own set of characters that need no escape. */
export type UrlPart = "path" | "host" | "zone" | "user" | "query" | "fragment";

const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
const inHost = "!\"$&'()*+,;=:<>[]";

const plain: Readonly<Record<UrlPart, ReadonlySet<string>>> = {
  path: new Set(`${unreserved}$&+,/:;=@`),
  host: new Set(`${unreserved}${inHost}`),
  zone: new Set(`${unreserved}${inHost}`),
  user: new Set(`${unreserved}$&+,;=`),
  query: new Set(unreserved),
  fragment: new Set(`${unreserved}!$&()*+,/:;=?@`),
};

/** Characters that an already escaped text may keep although they would be escaped otherwise. */
const keptWhenEscaped = new Set("!$&'()*+,;=:@[]%");

/** Whether a byte of a part is written as `%XX`. */
export function needsEscape(byte: string, part: UrlPart): boolean {
  return !plain[part].has(byte);
}

/** A byte text with `%XX` for the bytes that may not stand in the part. */
export function escapeBytes(bytes: string, part: UrlPart): string {
  let escaped = "";
  for (const byte of bytes) {
    if (!needsEscape(byte, part)) escaped += byte;
    else if (byte === " " && part === "query") escaped += "+";
    else escaped += `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return escaped;
}

/** A byte text with its escapes resolved, or why one of them cannot be. Hosts also refuse characters outside their set. */
export function unescapeBytes(bytes: string, part: UrlPart): string | Malformed {
  const isHost = part === "host" || part === "zone";
  let plainText = "";
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.charAt(at);
    if (byte === "%") {
      const escape = bytes.slice(at, at + 3);
      const code = /^%[0-9A-Fa-f]{2}$/.test(escape) ? Number.parseInt(escape.slice(1), 16) : undefined;
      if (code === undefined || !mayBeEscaped(code, part)) {
        return new Malformed(`invalid URL escape ${quoteBytes(escape)}`);
      }
      plainText += String.fromCharCode(code);
      at += 2;
    } else if (byte === "+" && part === "query") {
      plainText += " ";
    } else if (isHost && byte < "\x80" && needsEscape(byte, part)) {
      return new Malformed(`invalid character ${quoteBytes(byte)} in host name`);
    } else {
      plainText += byte;
    }
  }
  return plainText;
}

/** Whether a text is a possible escaped form of something, so that it can be shown as it was written. */
export function isEscapedForm(bytes: string, part: UrlPart): boolean {
  for (const byte of bytes) {
    if (!keptWhenEscaped.has(byte) && needsEscape(byte, part)) return false;
  }
  return true;
}

/**
 * Hosts allow escapes of bytes beyond ASCII only (RFC 6874 adds `%25`, which introduces a zone); a zone also those of
 * characters which it may hold, and the space that some systems have in interface names.
 */
function mayBeEscaped(code: number, part: UrlPart): boolean {
  if (part !== "host" && part !== "zone") return true;
  if (code === 0x25) return true;
  if (part === "host") return code >= 0x80;
  return code === 0x20 || !needsEscape(String.fromCharCode(code), "host");
}
