/** Called for every line, without its line feed. The bytes are valid only during the call. */
export type OnLine = (line: Buffer) => void;

/** Thrown when a line grows past the limit: the stream is not what it should be, or an object is larger than any store takes. */
export class LineTooLongError extends RangeError {
  constructor(bytesMax: number) {
    super(`a line of the stream is longer than ${bytesMax} bytes`);
  }
}

/**
 * Cuts a stream of bytes into lines. A line that arrives in many pieces is put together once, when it is whole.
 */
export class LineSplitter {
  readonly #onLine: OnLine;
  readonly #bytesMax: number;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(onLine: OnLine, { bytesMax = 64 * 1024 * 1024 }: { bytesMax?: number } = {}) {
    this.#onLine = onLine;
    this.#bytesMax = bytesMax;
  }

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
    if (this.#length > this.#bytesMax) throw new LineTooLongError(this.#bytesMax);
    this.#pieces.push(piece);
  }

  #emit(last: Buffer): void {
    if (this.#length === 0) {
      if (last.length > this.#bytesMax) throw new LineTooLongError(this.#bytesMax);
      if (last.length > 0) this.#onLine(last);
      return;
    }
    const line = Buffer.concat([...this.#pieces, last]);
    this.#pieces = [];
    this.#length = 0;
    if (line.length > this.#bytesMax) throw new LineTooLongError(this.#bytesMax);
    this.#onLine(line);
  }
}
