import { RouteStreamError } from "../errors.ts";

/** Splits the bytes of a stream into lines. The bytes of an unfinished line are kept as they are, and joined once when it ends. */
export class LineSplitter {
  readonly #bytesMax: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Returns the lines that a chunk completes, without their line feeds. Throws a {@link RouteStreamError} if a line is longer than any table may be. */
  push(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      this.#keep(chunk.subarray(start, end));
      lines.push(Buffer.concat(this.#parts).toString("utf8"));
      this.#parts = [];
      this.#bytes = 0;
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return lines;
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#bytesMax) throw tooLong(this.#bytesMax);
    this.#parts.push(part);
  }
}

function tooLong(bytesMax: number): RouteStreamError {
  return new RouteStreamError(`The route server sent a line of more than ${bytesMax} bytes.`);
}
