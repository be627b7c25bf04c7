import type { ServerResponse } from "node:http";

/**
 * Writes the chunks of a streamed response over HTTP/1.1 (chunked transfer coding, RFC 9112, section 7.1).
 *
 * Node writes four parts per chunk: the length, a line end, the data and another line end. Hundreds of watchers are
 * sent the same chunk, so this class frames it once for all of them and passes it to each socket in one write.
 */
export class ChunkWriter {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Sends a chunk. Returns false if the caller must wait for room before the next one. */
  write(chunk: Uint8Array | string): boolean {
    const { socket, headersSent, chunkedEncoding } = this.#response;
    // Without a socket the response must wait for earlier ones on the connection (pipelining). Node buffers it until
    // then.
    const isFramedHere = headersSent && chunkedEncoding && typeof chunk !== "string" && chunk.length > 0;
    return socket !== null && isFramedHere ? socket.write(framed(chunk)) : this.#response.write(chunk);
  }

  /**
   * Adds a listener for "drain": room for more data, whether the last chunk was written to the response or to the
   * socket.
   */
  on(listener: () => void): void {
    this.#response.on("drain", listener);
    this.#response.socket?.on("drain", listener);
  }

  off(listener: () => void): void {
    this.#response.off("drain", listener);
    this.#response.socket?.off("drain", listener);
  }
}

/** Framed chunks by their data. A watch event is the same array for all of its watchers. */
const frames = new WeakMap<Uint8Array, Uint8Array>();
const end = Buffer.from("\r\n");

function framed(chunk: Uint8Array): Uint8Array {
  let frame = frames.get(chunk);
  if (frame === undefined) {
    frame = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, end]);
    frames.set(chunk, frame);
  }
  return frame;
}
