import { HomeostatError } from "@homeostat/core";

/** Thrown when a peer violates HTTP/1.1. The connection cannot be reused. */
export class BrokenHttpError extends HomeostatError {
  readonly code = "BROKEN_HTTP";
}

/**
 * The status line and headers of a response.
 *
 * Most callers never look at the headers of a usual response, so they are parsed on first use.
 */
export class ResponseHead {
  readonly status: number;
  /** The `1` of `HTTP/1.1`. */
  readonly minorVersion: number;
  /** False if the headers certainly contain no `Warning`. */
  readonly mayWarn: boolean;
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;
  #headers: Readonly<Record<string, string>> | undefined;

  private constructor(bytes: Buffer, start: number, end: number, mayWarn: boolean) {
    this.status = statusAt(bytes, start, end);
    this.minorVersion = (bytes[start + 7] ?? 0) - zero;
    this.mayWarn = mayWarn;
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
  }

  /** Creates the head of a response for which {@link usualBodyLength} returned a length. */
  static usual(bytes: Buffer, start: number, end: number): ResponseHead {
    return new ResponseHead(bytes, start, end, false);
  }

  /** Creates the head of any other response. Throws a {@link BrokenHttpError} for an invalid status line; invalid headers throw when they are parsed. */
  static read(bytes: Buffer, start: number, end: number): ResponseHead {
    const head = new ResponseHead(bytes, start, end, true);
    if (head.status < 0) throw new BrokenHttpError("The response is not HTTP/1.1.");
    return head;
  }

  /** Headers by lowercase name; repeated headers are joined with a comma. */
  get headers(): Readonly<Record<string, string>> {
    if (this.#headers === undefined) {
      const text = this.#bytes.toString("latin1", this.#start, this.#end);
      this.#headers = readHeaders(text, endOfLine(text, 0) + 2);
    }
    return this.#headers;
  }
}

const zero = 0x30;
const space = 0x20;
const colon = 0x3a;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
/** The beginning of a status line, before the minor version. */
const opening = Buffer.from("HTTP/1.");
const lengthName = Buffer.from("content-length");
/** Headers that make a response unusual: its head must be parsed. */
const unusualNames = ["connection", "transfer-encoding", "warning"].map((name) => Buffer.from(name));

/** The bytes that are allowed in header names (RFC 9110, token). */
const isNameByte: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[!#$%&'*+\-.^_`|~\dA-Za-z]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/**
 * Returns the length of the body of a response in the usual form: HTTP/1.1 with a status that has a body, well-formed headers, exactly
 * one Content-Length, and no header about the connection, the transfer encoding or a warning. Returns -1 for any other response,
 * whose head must be parsed.
 *
 * Looks at each byte once and allocates nothing.
 */
export function usualBodyLength(bytes: Buffer, start: number, end: number): number {
  const status = statusAt(bytes, start, end);
  if (status < 200 || status === 204 || status === 304 || bytes[start + 7] !== zero + 1) return -1;
  let length = -1;
  for (let at = lineEndAt(bytes, start, end) + 2; at <= end;) {
    let nameEnd = at;
    while (isNameByte[bytes[nameEnd] ?? 0] === 1) nameEnd += 1;
    if (nameEnd === at || nameEnd >= end || bytes[nameEnd] !== colon) return -1;
    for (const name of unusualNames) if (isName(bytes, at, nameEnd, name)) return -1;
    const lineEnd = lineEndAt(bytes, nameEnd, end);
    if (isName(bytes, at, nameEnd, lengthName)) {
      if (length >= 0) return -1;
      length = numberAt(bytes, nameEnd + 1, lineEnd);
      if (length < 0) return -1;
    }
    at = lineEnd + 2;
  }
  return length;
}

/** Compares a header name with a lowercase name, ignoring case. */
function isName(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i += 1) if (((bytes[start + i] ?? 0) | 0x20) !== name[i]) return false;
  return true;
}

/** Returns a number that is preceded by one space; -1 for any other form. */
function numberAt(bytes: Buffer, start: number, end: number): number {
  if (bytes[start] !== space || end - start < 2 || end - start > 16) return -1;
  let number = 0;
  for (let at = start + 1; at < end; at += 1) {
    const digit = (bytes[at] ?? 0) - zero;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

function lineEndAt(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && (bytes[at] !== carriageReturn || bytes[at + 1] !== lineFeed)) at += 1;
  return at;
}

/** Returns the status of a status line such as `HTTP/1.1 200 OK`; -1 if it is not one. */
function statusAt(bytes: Buffer, start: number, end: number): number {
  for (let i = 0; i < opening.length; i += 1) if (bytes[start + i] !== opening[i]) return -1;
  const minor = (bytes[start + 7] ?? 0) - zero;
  if ((minor !== 0 && minor !== 1) || bytes[start + 8] !== space) return -1;
  // The status is followed by a space or the end of the line.
  const behind = start + 12;
  if (behind > end || (behind < end && bytes[behind] !== space && bytes[behind] !== carriageReturn)) return -1;
  if (bytes[behind] === carriageReturn && behind < end && bytes[behind + 1] !== lineFeed) return -1;
  let status = 0;
  for (let at = start + 9; at < behind; at += 1) {
    const digit = (bytes[at] ?? 0) - zero;
    if (digit < 0 || digit > 9) return -1;
    status = status * 10 + digit;
  }
  return status;
}

/** Parses the headers from a position on. */
function readHeaders(head: string, from: number): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = from; at <= head.length;) {
    const end = endOfLine(head, at);
    const colon = head.indexOf(":", at);
    const name = nameOf(colon < 0 || colon > end ? "" : head.slice(at, colon));
    const value = valueBetween(head, colon + 1, end);
    at = end + 2;
    // No server sends this header, and assigning it would change the prototype of the object.
    if (name === "__proto__") continue;
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    headers[name] =
      before === undefined || (name === "content-length" && before === value) ? value : `${before}, ${value}`;
  }
  return headers;
}

/** Returns a header value without surrounding white space. Nearly always this is exactly one space before it. */
function valueBetween(head: string, from: number, end: number): string {
  const start = head.charCodeAt(from) === 0x20 ? from + 1 : from;
  const isBare = start < end && isVisible(head.charCodeAt(start)) && isVisible(head.charCodeAt(end - 1));
  return isBare ? head.slice(start, end) : head.slice(from, end).trim();
}

function isVisible(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}

/** A cache of valid header names in lowercase. A server sends the same few names with every response. */
const validNames = new Map<string, string>();
const validNamesMax = 256;

function nameOf(sent: string): string {
  const known = validNames.get(sent);
  if (known !== undefined) return known;
  const name = sent.toLowerCase();
  if (!/^[!#$%&'*+\-.^_`|~\da-z]+$/.test(name)) throw new BrokenHttpError("A header has an invalid name.");
  if (validNames.size < validNamesMax && sent.length <= 64) validNames.set(sent, name);
  return name;
}

function endOfLine(head: string, from: number): number {
  const end = head.indexOf("\r\n", from);
  return end < 0 ? head.length : end;
}
