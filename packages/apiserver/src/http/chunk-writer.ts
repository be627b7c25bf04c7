import type { ServerResponse } from "node:http";

/**
 * Writes the pieces of a stream over HTTP/1.1.
 *
 * Node's own way writes four parts for each piece: its length, the end of that line, the piece, and another end. Watchers by the
 * hundred are sent the same piece; here it is framed once for all of them, and goes to the socket as a whole.
 */
export class ChunkWriter {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Sends a piece. False: wait for room before the next. */
  write(piece: Uint8Array | string): boolean {
    const { socket, headersSent, chunkedEncoding } = this.#response;
    // Without a socket it is not yet its turn on the connection; Node keeps what it is given until then.
    const isOwn = headersSent && chunkedEncoding && typeof piece !== "string" && piece.length > 0;
    return socket !== null && isOwn ? socket.write(framed(piece)) : this.#response.write(piece);
  }

  /** Calls when there is room again, however the last piece was sent. */
  on(run: () => void): void {
    this.#response.on("drain", run);
    this.#response.socket?.on("drain", run);
  }

  off(run: () => void): void {
    this.#response.off("drain", run);
    this.#response.socket?.off("drain", run);
  }
}

const frames = new WeakMap<Uint8Array, Uint8Array>();
const end = Buffer.from("\r\n");

function framed(piece: Uint8Array): Uint8Array {
  let frame = frames.get(piece);
  if (frame === undefined) {
    frame = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, end]);
    frames.set(piece, frame);
  }
  return frame;
}
