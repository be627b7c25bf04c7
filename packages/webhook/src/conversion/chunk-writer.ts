/** Number of characters that are collected before they are encoded. */
const chunkLength = 64 * 1024;

/** Collects a long text as encoded chunks and reserves memory for it as it grows. */
export class ChunkWriter {
  readonly #reserve: (bytes: number) => boolean;
  readonly #chunks: Uint8Array[] = [];
  #text = "";

  constructor(reserve: (bytes: number) => boolean) {
    this.#reserve = reserve;
  }

  /** Adds text. Returns false if memory for it could not be reserved. */
  write(text: string): boolean {
    this.#text += text;
    return this.#text.length < chunkLength || this.#flush();
  }

  /** Returns all chunks; undefined if memory for the last one could not be reserved. */
  finish(): readonly Uint8Array[] | undefined {
    return this.#flush() ? this.#chunks : undefined;
  }

  #flush(): boolean {
    const chunk = Buffer.from(this.#text, "utf8");
    this.#text = "";
    if (!this.#reserve(chunk.length)) return false;
    this.#chunks.push(chunk);
    return true;
  }
}
