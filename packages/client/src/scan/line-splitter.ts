import { TooLongError } from "../errors.ts";

/** Called for every line, without its line feed: a view of the piece that it arrived in, or a copy if it arrived in several. */
export type OnLine = (line: Buffer) => void;

/** More than any object that an API server stores, with room for the event around it. */
const lineBytesMax = 64 * 1024 * 1024;

/** Options of a {@link LineSplitter}. */
export interface LineOptions {
  /** The maximum length of a line. Default 64 MiB. */
  readonly bytesMax?: number;
  /** Emits empty lines as well. Default false. */
  readonly keepsEmpty?: boolean;
}

/**
 * Splits a stream of bytes into lines. A line that arrives in many pieces is concatenated once, when it is complete.
 *
 * Empty lines are skipped unless `keepsEmpty` is true. A line longer than `bytesMax` throws a {@link TooLongError}.
 */
export class LineSplitter {
  readonly #onLine: OnLine;
  readonly #bytesMax: number;
  readonly #keepsEmpty: boolean;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(onLine: OnLine, { bytesMax = lineBytesMax, keepsEmpty = false }: LineOptions = {}) {
    this.#onLine = onLine;
    this.#bytesMax = bytesMax;
    this.#keepsEmpty = keepsEmpty;
  }

  /** Processes the next piece of the stream. The caller must not change the piece afterwards, because lines may be views of it. */
  push(piece: Buffer): void {
    let from = 0;
    for (let end = piece.indexOf(0x0a); end >= 0; end = piece.indexOf(0x0a, from)) {
      this.#emit(piece.subarray(from, end));
      from = end + 1;
    }
    if (from < piece.length) this.#keep(from === 0 ? piece : piece.subarray(from));
  }

  /** Emits the bytes after the last line feed, if there are any. */
  finish(): void {
    if (this.#length > 0) this.#emit(Buffer.alloc(0));
  }

  #keep(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.#bytesMax) throw new TooLongError("a line of the stream", this.#bytesMax);
    this.#pieces.push(piece);
  }

  #emit(last: Buffer): void {
    if (this.#length === 0) {
      if (last.length > this.#bytesMax) throw new TooLongError("a line of the stream", this.#bytesMax);
      if (last.length > 0 || this.#keepsEmpty) this.#onLine(last);
      return;
    }
    const line = Buffer.concat([...this.#pieces, last]);
    this.#pieces = [];
    this.#length = 0;
    if (line.length > this.#bytesMax) throw new TooLongError("a line of the stream", this.#bytesMax);
    this.#onLine(line);
  }
}
