import { TooLongError } from "../errors.ts";

/** Called for every line, without its line feed: a part of the piece it came in, or a copy when it came in several. */
export type OnLine = (line: Buffer) => void;

/** More than any object an API server stores, with room for what it says around it. */
const lineBytesMax = 64 * 1024 * 1024;

/** What counts as a line. */
export interface LineOptions {
  /** The longest line. Default 64 MiB. */
  readonly bytesMax?: number;
  /** Whether a line without a byte is one. Default false. */
  readonly keepsEmpty?: boolean;
}

/**
 * Cuts a stream of bytes into lines. A line that arrives in many pieces is put together once, when it is whole.
 *
 * Empty lines are left out unless `keepsEmpty`. A line longer than `bytesMax` is a {@link TooLongError}.
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

  /** Takes the next piece of the stream. It must not change afterwards. */
  push(piece: Buffer): void {
    let from = 0;
    for (let end = piece.indexOf(0x0a); end >= 0; end = piece.indexOf(0x0a, from)) {
      this.#emit(piece.subarray(from, end));
      from = end + 1;
    }
    if (from < piece.length) this.#keep(from === 0 ? piece : piece.subarray(from));
  }

  /** Hands on what came after the last line feed, if anything. */
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
