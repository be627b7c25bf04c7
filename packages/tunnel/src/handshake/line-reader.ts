import { ProtocolError } from "../errors.ts";

/** Maximum length of a line in bytes, with its line feed. */
export const lineBytesMax = 2048;

/** Reads the line with which a stream begins, from data that is cut anywhere. */
export class LineReader {
  #collected: Buffer = Buffer.alloc(0);

  /**
   * Takes received data. Returns the line without its line feed and the data after it once the line is complete, and undefined before. Throws a
   * {@link ProtocolError} if the line is too long.
   */
  read(chunk: Buffer): { readonly line: string; readonly rest: Buffer } | undefined {
    const end = chunk.indexOf(0x0a);
    const bytes = this.#collected.length + (end === -1 ? chunk.length : end + 1);
    if (bytes > lineBytesMax) throw new ProtocolError(`a line is longer than ${lineBytesMax} bytes`);
    if (end === -1) {
      this.#collected = Buffer.concat([this.#collected, chunk]);
      return undefined;
    }
    const line = Buffer.concat([this.#collected, chunk.subarray(0, end)]).toString();
    this.#collected = Buffer.alloc(0);
    return { line, rest: chunk.subarray(end + 1) };
  }
}
