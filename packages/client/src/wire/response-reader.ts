import { ResponseHead, BrokenHttpError, usualBodyLength } from "./response-head.ts";

export { BrokenHttpError };

/** Receives the pieces of a body. */
export interface PieceSink {
  push(piece: Buffer): void;
}

/** API servers never send a longer head. */
const headBytesMax = 64 * 1024;
/** Interim responses (1xx) that are accepted before the response. A server sends one or two. */
const interimMax = 16;
/** The maximum length of the line before a chunk, and of all trailers. */
const lineBytesMax = 4 * 1024;

/** The part of a response that is read next. */
const states = { head: 0, sized: 1, untilClose: 2, chunkSize: 3, chunk: 4, chunkEnd: 5, trailer: 6, done: 7 } as const;
type State = (typeof states)[keyof typeof states];

/**
 * Parses one HTTP/1.1 response from the pieces that a connection delivers. Independent of sockets.
 *
 * Pieces of the body are views of the pushed pieces, not copies. Interim responses (1xx) are skipped. A switch to another protocol
 * (101) is an error, because the client never requests one.
 */
export class ResponseReader {
  readonly #sink: PieceSink;
  #state: State = states.head;
  /** The bytes of an incomplete head or line. */
  #rest: Buffer | undefined;
  /** The number of bytes of the body or chunk that have not arrived. */
  #missing = 0;
  #trailerBytes = 0;
  #interim = 0;
  #head: ResponseHead | undefined;
  #isKept = true;

  constructor(sink: PieceSink) {
    this.#sink = sink;
  }

  /** The head; undefined until it is complete. */
  get head(): ResponseHead | undefined {
    return this.#head;
  }

  /** True if the whole response was read. */
  get isDone(): boolean {
    return this.#state === states.done;
  }

  /** True if any byte of the response has arrived. */
  get hasBegun(): boolean {
    return this.#head !== undefined || this.#rest !== undefined;
  }

  /** True if the connection can be reused after this response. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Called when the connection has ended. Returns true if the response is complete, as one without a length is then. */
  end(): boolean {
    if (this.#state === states.untilClose) this.#state = states.done;
    return this.isDone;
  }

  /** Parses a piece. Throws a {@link BrokenHttpError} if it violates HTTP/1.1. */
  push(piece: Buffer): void {
    let bytes = piece;
    if (this.#rest !== undefined) {
      bytes = Buffer.concat([this.#rest, piece]);
      this.#rest = undefined;
    }
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === states.done) throw new BrokenHttpError("The server sent data after the end of the response.");
      const next = this.#step(bytes, at);
      if (next < 0) {
        this.#rest = at === 0 ? bytes : bytes.subarray(at);
        return;
      }
      at = next;
    }
  }

  /** Parses what it can from a position, and returns the position after it; -1 if more bytes are needed. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case states.head:
        return this.#readHead(bytes, at);
      case states.sized:
      case states.chunk: {
        const end = Math.min(bytes.length, at + this.#missing);
        this.#missing -= end - at;
        this.#sink.push(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
        if (this.#missing === 0) this.#state = this.#state === states.sized ? states.done : states.chunkEnd;
        return end;
      }
      case states.untilClose:
        this.#sink.push(at === 0 ? bytes : bytes.subarray(at));
        return bytes.length;
      case states.chunkSize:
      case states.chunkEnd:
      case states.trailer:
        return this.#readLine(bytes, at);
      case states.done:
        return at;
    }
  }

  #readHead(bytes: Buffer, at: number): number {
    const end = endOfHead(bytes, at);
    if ((end < 0 ? bytes.length : end) - at > headBytesMax) throw new BrokenHttpError("The head is too long.");
    if (end < 0) return -1;
    const usual = usualBodyLength(bytes, at, end);
    if (usual >= 0) {
      this.#head = ResponseHead.usual(bytes, at, end);
      this.#expect(usual);
      return end + 4;
    }
    const head = ResponseHead.read(bytes, at, end);
    const { status, minorVersion } = head;
    if (status === 101) throw new BrokenHttpError("The server switched to another protocol.");
    if (status >= 100 && status < 200) {
      this.#interim += 1;
      if (this.#interim > interimMax) throw new BrokenHttpError("The server sent too many interim responses.");
      return end + 4;
    }
    const { headers } = head;
    this.#head = head;
    const connection = headers["connection"]?.toLowerCase();
    this.#isKept = minorVersion === 1 ? !hasWord(connection, "close") : hasWord(connection, "keep-alive");
    this.#beginBody(status, headers);
    return end + 4;
  }

  /** Expects a body of this length. */
  #expect(length: number): void {
    this.#missing = length;
    this.#state = length === 0 ? states.done : states.sized;
  }

  #beginBody(code: number, headers: Readonly<Record<string, string>>): void {
    const encoding = headers["transfer-encoding"];
    const length = headers["content-length"];
    if (code === 204 || code === 304) {
      this.#state = states.done;
    } else if (encoding !== undefined) {
      // Two ways to find the end of a response are a vector for response smuggling (RFC 9112, section 6.3).
      if (encoding.toLowerCase() !== "chunked" || length !== undefined) {
        throw new BrokenHttpError("The length of the response is ambiguous.");
      }
      this.#state = states.chunkSize;
    } else if (length === undefined) {
      this.#isKept = false;
      this.#state = states.untilClose;
    } else {
      if (!/^\d{1,15}$/.test(length)) throw new BrokenHttpError("The Content-Length of the response is not a number.");
      this.#expect(Number(length));
    }
  }

  /** Parses a line of the chunked encoding: the size of a chunk, the end of a chunk, or a trailer. */
  #readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(0x0a, at);
    if ((end < 0 ? bytes.length : end) - at > lineBytesMax) throw new BrokenHttpError("A line is too long.");
    if (end < 0) return -1;
    if (end === at || bytes[end - 1] !== 0x0d) throw new BrokenHttpError("A line does not end with CRLF.");
    if (this.#state === states.chunkEnd) {
      if (end !== at + 1) throw new BrokenHttpError("A chunk is longer than its size.");
      this.#state = states.chunkSize;
    } else if (this.#state === states.chunkSize) {
      this.#missing = chunkSize(bytes, at, end - 1);
      this.#state = this.#missing === 0 ? states.trailer : states.chunk;
    } else {
      // Trailers are skipped: the client never requests any.
      this.#trailerBytes += end - at;
      if (this.#trailerBytes > lineBytesMax) throw new BrokenHttpError("The trailers are too long.");
      if (end === at + 1) this.#state = states.done;
    }
    return end + 1;
  }
}

/** Returns the position of the empty line that ends a head; -1 if it has not arrived. A loop, because heads are too short for `indexOf` to pay off. */
function endOfHead(bytes: Buffer, from: number): number {
  const last = Math.min(bytes.length - 4, from + headBytesMax + 1);
  for (let at = from; at <= last; at += 1) {
    if (bytes[at] === 0x0d && bytes[at + 1] === 0x0a && bytes[at + 2] === 0x0d && bytes[at + 3] === 0x0a) return at;
  }
  return -1;
}

/** Parses the size of a chunk. Chunk extensions are skipped. */
function chunkSize(bytes: Buffer, start: number, end: number): number {
  let size = 0;
  let at = start;
  for (; at < end; at += 1) {
    const digit = hexDigit(bytes[at] ?? 0);
    if (digit < 0) break;
    size = size * 16 + digit;
  }
  const isNumber = at > start && at - start <= 12;
  while (at < end && (bytes[at] === 0x20 || bytes[at] === 0x09)) at += 1;
  if (!isNumber || (at < end && bytes[at] !== 0x3b)) throw new BrokenHttpError("A chunk has an invalid size.");
  return size;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function hasWord(list: string | undefined, word: string): boolean {
  if (list === undefined) return false;
  return list.split(",").some((each) => each.trim() === word);
}
