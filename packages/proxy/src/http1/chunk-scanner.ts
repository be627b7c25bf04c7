import { code, hexValue, isTokenCode, isValueCode } from "./codes.ts";

/** Receives parts of the data of chunks, without their framing. */
export type ChunkData = (data: Buffer) => void;

// States of the scanner, named after the element that the next byte belongs to.
const size = 0;
const extension = 1;
const sizeLf = 2;
const data = 3;
const dataCr = 4;
const dataLf = 5;
const trailerStart = 6;
const trailerName = 7;
const trailerValue = 8;
const trailerLf = 9;
const endLf = 10;

const sizeDigitsMax = 13;
/** Bytes of chunk extensions in a body. Applications do not use them; large ones only keep parsers busy. */
const extensionBytesMax = 16_384;
const trailerBytesMax = 16_384;
const trailerNameMax = 256;

/** Trailer fields that are refused: a recipient that merges trailers into the header would read another framing or destination. */
const refusedTrailers: ReadonlySet<string> = new Set(["content-length", "host", "transfer-encoding"]);

/**
 * Follows the framing of a chunked body (RFC 9112, 7.1) through buffers that are cut anywhere. Nothing is tolerated that recipients read
 * differently: whitespace around sizes, LF without CR, control characters in extensions, malformed trailers.
 */
export class ChunkScanner {
  isDone = false;
  isMalformed = false;
  #state = size;
  #digits = 0;
  #left = 0;
  #extensionBytes = 0;
  #trailerBytes = 0;
  #name = "";

  /** Prepares for a new body. */
  reset(): void {
    this.isDone = false;
    this.isMalformed = false;
    this.#state = size;
    this.#digits = 0;
    this.#left = 0;
    this.#extensionBytes = 0;
    this.#trailerBytes = 0;
    this.#name = "";
  }

  /** Returns the number of bytes from `from` that belong to the body. After an error, {@link isMalformed} is true. */
  consume(buffer: Buffer, from: number, onData?: ChunkData): number {
    let at = from;
    while (at < buffer.length && !this.isDone && !this.isMalformed) {
      if (this.#state === data) {
        const end = Math.min(buffer.length, at + this.#left);
        onData?.(buffer.subarray(at, end));
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#state = dataCr;
      } else {
        this.#next(buffer[at] ?? 0);
        at += 1;
      }
    }
    return at - from;
  }

  #next(byte: number): void {
    switch (this.#state) {
      case size:
        return this.#nextOfSize(byte);
      case extension:
        if (byte === code.cr) this.#state = sizeLf;
        else if (!isExtensionCode(byte) || ++this.#extensionBytes > extensionBytesMax) this.isMalformed = true;
        return;
      case sizeLf:
        return this.#expect(byte, code.lf, this.#left === 0 ? trailerStart : data);
      case dataCr:
        return this.#expect(byte, code.cr, dataLf);
      case dataLf:
        return this.#expect(byte, code.lf, size);
      case trailerLf:
        return this.#expect(byte, code.lf, trailerStart);
      case endLf:
        this.isDone = byte === code.lf;
        this.isMalformed = byte !== code.lf;
        return;
      default:
        return this.#nextOfTrailer(byte);
    }
  }

  #nextOfSize(byte: number): void {
    const digit = hexValue(byte);
    if (digit >= 0) {
      this.#digits += 1;
      this.#left = this.#left * 16 + digit;
      if (this.#digits > sizeDigitsMax) this.isMalformed = true;
    } else if (this.#digits === 0) this.isMalformed = true;
    else if (byte === code.cr) this.#state = sizeLf;
    else if (byte === code.semicolon) this.#state = extension;
    else this.isMalformed = true;
  }

  #nextOfTrailer(byte: number): void {
    if (++this.#trailerBytes > trailerBytesMax) this.isMalformed = true;
    else if (this.#state === trailerStart && byte === code.cr) this.#state = endLf;
    else if (this.#state === trailerValue) {
      if (byte === code.cr) this.#state = trailerLf;
      else if (isValueCode[byte] === 0) this.isMalformed = true;
    } else if (isTokenCode[byte] === 1) {
      this.#state = trailerName;
      this.#name += String.fromCharCode(byte);
      if (this.#name.length > trailerNameMax) this.isMalformed = true;
    } else if (this.#state === trailerName && byte === code.colon) {
      this.#state = trailerValue;
      if (refusedTrailers.has(this.#name.toLowerCase())) this.isMalformed = true;
      this.#name = "";
    } else this.isMalformed = true;
  }

  #expect(byte: number, expected: number, state: number): void {
    if (byte !== expected) this.isMalformed = true;
    this.#state = state;
    this.#digits = 0;
  }
}

/** Reports whether a byte may be in a chunk extension. Quoted texts with other bytes are refused: recipients disagree on their end. */
function isExtensionCode(byte: number): boolean {
  return isTokenCode[byte] === 1 || byte === code.semicolon || byte === code.equals || byte === code.quote;
}
