import { AnswerHead, BrokenHttpError, glanceAt } from "./answer-head.ts";

export { BrokenHttpError };

/** Takes the pieces of a body. */
export interface PieceSink {
  push(piece: Buffer): void;
}

/** A longer head than this is none that an API server sends. */
const headBytesMax = 64 * 1024;
/** Interim responses (1xx) that are accepted before the response. A server sends one or two. */
const interimMax = 16;
/** A longer line before a chunk, or a longer trailer, is nonsense. */
const lineBytesMax = 4 * 1024;

/** What is to be read next. */
const states = { head: 0, sized: 1, untilClose: 2, chunkSize: 3, chunk: 4, chunkEnd: 5, trailer: 6, done: 7 } as const;
type State = (typeof states)[keyof typeof states];

/**
 * Reads one answer of HTTP/1.1 out of the pieces that a connection delivers. Knows nothing of sockets.
 *
 * Pieces of the body are views of what was pushed, not copies. Interim answers (1xx) are passed over; a switch to another
 * protocol, which nobody asked for, is an error.
 */
export class AnswerReader {
  readonly #sink: PieceSink;
  #state: State = states.head;
  /** What arrived of a head or a line that is not whole yet. */
  #rest: Buffer | undefined;
  /** How much of the body, or of the chunk, is still to come. */
  #missing = 0;
  #trailerBytes = 0;
  #interim = 0;
  #head: AnswerHead | undefined;
  #isKept = true;

  constructor(sink: PieceSink) {
    this.#sink = sink;
  }

  /** The head, once it is there. */
  get head(): AnswerHead | undefined {
    return this.#head;
  }

  /** Whether the whole answer was read. */
  get isDone(): boolean {
    return this.#state === states.done;
  }

  /** Whether anything has arrived. */
  get hasBegun(): boolean {
    return this.#head !== undefined || this.#rest !== undefined;
  }

  /** Whether the connection may be used again after this answer. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** The connection has ended: true if the answer is whole by that. */
  end(): boolean {
    if (this.#state === states.untilClose) this.#state = states.done;
    return this.isDone;
  }

  /** Reads a piece. Throws a {@link BrokenHttpError} when it is not what it should be. */
  push(piece: Buffer): void {
    let bytes = piece;
    if (this.#rest !== undefined) {
      bytes = Buffer.concat([this.#rest, piece]);
      this.#rest = undefined;
    }
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === states.done) throw new BrokenHttpError("The server sent more than its answer.");
      const next = this.#step(bytes, at);
      if (next < 0) {
        this.#rest = at === 0 ? bytes : bytes.subarray(at);
        return;
      }
      at = next;
    }
  }

  /** Reads what it can from a place, and returns the place after it; -1 when more is needed. */
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
    const usual = glanceAt(bytes, at, end);
    if (usual >= 0) {
      this.#head = AnswerHead.usual(bytes, at, end);
      this.#expect(usual);
      return end + 4;
    }
    const head = AnswerHead.read(bytes, at, end);
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

  /** A body of so many bytes is to come. */
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
      if (encoding.toLowerCase() !== "chunked" || length !== undefined) {
        throw new BrokenHttpError("The length of the answer is ambiguous.");
      }
      this.#state = states.chunkSize;
    } else if (length === undefined) {
      this.#isKept = false;
      this.#state = states.untilClose;
    } else {
      if (!/^\d{1,15}$/.test(length)) throw new BrokenHttpError("The length of the answer is no number.");
      this.#expect(Number(length));
    }
  }

  /** Reads a line of the chunked form: the size of a chunk, the end of one, or a trailer. */
  #readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(0x0a, at);
    if ((end < 0 ? bytes.length : end) - at > lineBytesMax) throw new BrokenHttpError("A line is too long.");
    if (end < 0) return -1;
    if (end === at || bytes[end - 1] !== 0x0d) throw new BrokenHttpError("A line has no proper end.");
    if (this.#state === states.chunkEnd) {
      if (end !== at + 1) throw new BrokenHttpError("A chunk is longer than its size.");
      this.#state = states.chunkSize;
    } else if (this.#state === states.chunkSize) {
      this.#missing = chunkSize(bytes, at, end - 1);
      this.#state = this.#missing === 0 ? states.trailer : states.chunk;
    } else {
      // Trailers are passed over: nobody asked for any.
      this.#trailerBytes += end - at;
      if (this.#trailerBytes > lineBytesMax) throw new BrokenHttpError("The trailers are too long.");
      if (end === at + 1) this.#state = states.done;
    }
    return end + 1;
  }
}

/** Where the empty line begins that ends a head; -1 when it is not there. A head is too short for a search by the engine to pay. */
function endOfHead(bytes: Buffer, from: number): number {
  const last = Math.min(bytes.length - 4, from + headBytesMax + 1);
  for (let at = from; at <= last; at += 1) {
    if (bytes[at] === 0x0d && bytes[at + 1] === 0x0a && bytes[at + 2] === 0x0d && bytes[at + 3] === 0x0a) return at;
  }
  return -1;
}

/** The size of a chunk, from the line before it; what follows the number is passed over. */
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
  if (!isNumber || (at < end && bytes[at] !== 0x3b)) throw new BrokenHttpError("A chunk has no size.");
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
