import { type ChunkData, ChunkScanner } from "./chunk-scanner.ts";
import { type Framing, framing } from "./message-framing.ts";

/** Finds the end of the bodies of a connection, one after the other. */
export class BodyReader {
  framing: Framing = framing.none;
  isDone = true;
  isMalformed = false;
  #left = 0;
  #chunks: ChunkScanner | undefined;

  /** Begins a body. `length` is its number of bytes if the framing is `length`. */
  begin(kind: Framing, length: number): void {
    this.framing = kind;
    this.isDone = kind === framing.none;
    this.isMalformed = false;
    this.#left = length;
    if (kind !== framing.chunked) return;
    this.#chunks ??= new ChunkScanner();
    this.#chunks.reset();
  }

  /**
   * Returns the number of bytes from `from` that belong to the body. `onData` receives the data of a chunked body without its
   * framing.
   */
  consume(buffer: Buffer, from: number, onData?: ChunkData): number {
    const available = buffer.length - from;
    if (this.isDone) return 0;
    if (this.framing === framing.length) {
      const taken = Math.min(available, this.#left);
      this.#left -= taken;
      this.isDone = this.#left === 0;
      return taken;
    }
    const chunks = this.#chunks;
    if (this.framing === framing.untilClose || chunks === undefined) return available;
    const taken = chunks.consume(buffer, from, onData);
    this.isDone = chunks.isDone;
    this.isMalformed = chunks.isMalformed;
    return taken;
  }
}
