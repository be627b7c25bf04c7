import type { Received } from "./connection.ts";

const headEnd = Buffer.from("\r\n\r\n");

/** Finds the ends of HTTP/1.1 responses, by Content-Length or chunks, and counts the bytes of their bodies. */
export class ResponseReader {
  /** Bytes of an incomplete head or chunk line. */
  #held: Buffer = Buffer.alloc(0);
  #at: "head" | "body" | "chunk-line" | "chunk" = "head";
  #status = 0;
  #bodyBytes = 0;
  /** Remaining bytes of the body, or of the chunk with its line end. */
  #left = 0;
  #isLastChunk = false;

  /** Consumes received bytes. Returns the response when they complete it. */
  take(piece: Buffer): Received | undefined {
    let bytes = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    this.#held = Buffer.alloc(0);
    for (;;) {
      const used = this.#step(bytes);
      if (used === "done") return this.#finish();
      if (used === "more") return undefined;
      bytes = bytes.subarray(used);
    }
  }

  #step(bytes: Buffer): number | "done" | "more" {
    switch (this.#at) {
      case "head":
        return this.#head(bytes);
      case "chunk-line":
        return this.#chunkLine(bytes);
      case "body":
      case "chunk":
        return this.#skip(bytes);
    }
  }

  #head(bytes: Buffer): number | "done" | "more" {
    const end = bytes.indexOf(headEnd);
    if (end < 0) return this.#hold(bytes);
    const head = bytes.toString("latin1", 0, end);
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) this.#at = "chunk-line";
    else {
      this.#left = Number(length);
      this.#bodyBytes = this.#left;
      this.#at = "body";
      if (this.#left === 0) return "done";
    }
    return end + headEnd.length;
  }

  #chunkLine(bytes: Buffer): number | "more" {
    const end = bytes.indexOf("\r\n");
    if (end < 0) return this.#hold(bytes);
    const size = Number.parseInt(bytes.toString("latin1", 0, end), 16);
    this.#isLastChunk = size === 0;
    this.#bodyBytes += size;
    this.#left = size + 2;
    this.#at = "chunk";
    return end + 2;
  }

  #skip(bytes: Buffer): number | "done" | "more" {
    if (bytes.length < this.#left) {
      this.#left -= bytes.length;
      return "more";
    }
    if (this.#at === "body" || this.#isLastChunk) return "done";
    this.#at = "chunk-line";
    return this.#left;
  }

  #hold(bytes: Buffer): "more" {
    this.#held = bytes;
    return "more";
  }

  #finish(): Received {
    const received = { status: this.#status, bodyBytes: this.#bodyBytes };
    this.#at = "head";
    this.#bodyBytes = 0;
    this.#left = 0;
    this.#isLastChunk = false;
    return received;
  }
}
