import { HomeostatError } from "@homeostat/core";

/** Thrown when a peer does not speak HTTP/1.1 as it should. The connection cannot be used any more. */
export class BrokenHttpError extends HomeostatError {
  readonly code = "BROKEN_HTTP";
}

/**
 * The head of an answer.
 *
 * Most answers are of a usual form, and nobody asks for their headers: these are read when somebody does.
 */
export class AnswerHead {
  readonly status: number;
  /** The `1` of `HTTP/1.1`. */
  readonly minorVersion: number;
  /** Whether there may be a `Warning` among the headers. */
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

  /** One of which {@link glanceAt} says that it is usual. */
  static usual(bytes: Buffer, start: number, end: number): AnswerHead {
    return new AnswerHead(bytes, start, end, false);
  }

  /** Any other. Throws a {@link BrokenHttpError} when it is none; for headers that are none, when these are read. */
  static read(bytes: Buffer, start: number, end: number): AnswerHead {
    const head = new AnswerHead(bytes, start, end, true);
    if (head.status < 0) throw new BrokenHttpError("The answer is no HTTP/1.1.");
    return head;
  }

  /** Lower-case names; a header sent twice is joined with a comma. */
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
/** What a head begins with, but for the digit. */
const opening = Buffer.from("HTTP/1.");
const lengthName = Buffer.from("content-length");
/** With one of these, a head has to be read. */
const telling = ["connection", "transfer-encoding", "warning"].map((name) => Buffer.from(name));

/** Which bytes a name may have. */
const isNameByte: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[!#$%&'*+\-.^_`|~\dA-Za-z]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/**
 * The length of the body, for an answer of the usual form: a success of HTTP/1.1 with well-formed headers, one of them the length, and
 * none that says anything about the connection, the encoding or a warning. -1 for any other, which has to be read.
 *
 * Looks at each byte once and makes nothing.
 */
export function glanceAt(bytes: Buffer, start: number, end: number): number {
  const status = statusAt(bytes, start, end);
  if (status < 200 || status === 204 || status === 304 || bytes[start + 7] !== zero + 1) return -1;
  let length = -1;
  for (let at = lineEndAt(bytes, start, end) + 2; at <= end;) {
    let nameEnd = at;
    while (isNameByte[bytes[nameEnd] ?? 0] === 1) nameEnd += 1;
    if (nameEnd === at || nameEnd >= end || bytes[nameEnd] !== colon) return -1;
    for (const name of telling) if (isName(bytes, at, nameEnd, name)) return -1;
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

/** Whether a name in any case is a given one in lower case. */
function isName(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i += 1) if (((bytes[start + i] ?? 0) | 0x20) !== name[i]) return false;
  return true;
}

/** A number with one space before it; -1 when it is written in any other way. */
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

/** The status in the first line, `HTTP/1.1 200 OK`; -1 when it is no such line. */
function statusAt(bytes: Buffer, start: number, end: number): number {
  for (let i = 0; i < opening.length; i += 1) if (bytes[start + i] !== opening[i]) return -1;
  const minor = (bytes[start + 7] ?? 0) - zero;
  if ((minor !== 0 && minor !== 1) || bytes[start + 8] !== space) return -1;
  // Behind the number the line ends, or there is a space.
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

/** The headers that stand from a place on. */
function readHeaders(head: string, from: number): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = from; at <= head.length;) {
    const end = endOfLine(head, at);
    const colon = head.indexOf(":", at);
    const name = nameOf(colon < 0 || colon > end ? "" : head.slice(at, colon));
    const value = valueBetween(head, colon + 1, end);
    at = end + 2;
    // Not a header that anybody sends, and not one that an object could hold.
    if (name === "__proto__") continue;
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    headers[name] =
      before === undefined || (name === "content-length" && before === value) ? value : `${before}, ${value}`;
  }
  return headers;
}

/** What stands behind a colon, without the space around it: nearly always one before it. */
function valueBetween(head: string, from: number, end: number): string {
  const start = head.charCodeAt(from) === 0x20 ? from + 1 : from;
  const isBare = start < end && isVisible(head.charCodeAt(start)) && isVisible(head.charCodeAt(end - 1));
  return isBare ? head.slice(start, end) : head.slice(from, end).trim();
}

function isVisible(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}

/** Names that were found to be good, in lower case. A server sends the same few with every answer. */
const goodNames = new Map<string, string>();
const goodNamesMax = 256;

function nameOf(sent: string): string {
  const known = goodNames.get(sent);
  if (known !== undefined) return known;
  const name = sent.toLowerCase();
  if (!/^[!#$%&'*+\-.^_`|~\da-z]+$/.test(name)) throw new BrokenHttpError("A header has no name.");
  if (goodNames.size < goodNamesMax && sent.length <= 64) goodNames.set(sent, name);
  return name;
}

function endOfLine(head: string, from: number): number {
  const end = head.indexOf("\r\n", from);
  return end < 0 ? head.length : end;
}
