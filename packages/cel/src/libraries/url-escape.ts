import { Malformed } from "./malformed.ts";
import { quoteBytes } from "./go-quote.ts";

/** A part of a URL. Each has its own set of characters that need no escape. */
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

/** Characters that may stay unescaped in a string that is already escaped. */
const keptWhenEscaped = new Set("!$&'()*+,;=:@[]%");

/** Reports whether a byte must be escaped as `%XX` in a part. */
export function needsEscape(byte: string, part: UrlPart): boolean {
  return !plain[part].has(byte);
}

/** Escapes the bytes of a byte string that are not allowed in the part. */
export function escapeBytes(bytes: string, part: UrlPart): string {
  let escaped = "";
  for (const byte of bytes) {
    if (!needsEscape(byte, part)) escaped += byte;
    else if (byte === " " && part === "query") escaped += "+";
    else escaped += `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return escaped;
}

/** Unescapes a byte string, or returns the problem of an invalid escape. Also rejects characters that a host cannot have. */
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

/** Reports whether a string is a valid escaped form, so that it can be printed unchanged. */
export function isEscapedForm(bytes: string, part: UrlPart): boolean {
  for (const byte of bytes) {
    if (!keptWhenEscaped.has(byte) && needsEscape(byte, part)) return false;
  }
  return true;
}

/**
 * Reports whether an escape is allowed. Hosts allow only escapes of non-ASCII bytes, and `%25`, which introduces a zone (RFC 6874).
 * A zone also allows escapes of its valid characters and of the space that some systems use in interface names.
 */
function mayBeEscaped(code: number, part: UrlPart): boolean {
  if (part !== "host" && part !== "zone") return true;
  if (code === 0x25) return true;
  if (part === "host") return code >= 0x80;
  return code === 0x20 || !needsEscape(String.fromCharCode(code), "host");
}
