import { ConnectionFault, errorCodes, frameHeaderBytes, payloadBytesMax, preface } from "./protocol.ts";

/** Receives frames. The payload is `bytes` from `start` to `end`, valid only during the call. Throws a `ConnectionFault` to stop. */
export interface FrameHandler {
  frame(type: number, frameFlags: number, streamId: number, bytes: Buffer, start: number, end: number): void;
}

/**
 * Splits the bytes of a connection into frames, no matter how chunks divide them.
 *
 * Frames inside a chunk are handled in place. A frame that spans chunks is collected in a buffer of the size of the largest frame, so that
 * one-byte chunks cost linear time and memory is bounded.
 */
export class FrameReader {
  readonly #handler: FrameHandler;
  /** Bytes of the preface that are still expected. */
  #prefaceLeft: number;
  #partial: Buffer | undefined;
  #partialBytes = 0;
  #needed = 0;

  constructor(handler: FrameHandler, options: { readonly expectsPreface: boolean }) {
    this.#handler = handler;
    this.#prefaceLeft = options.expectsPreface ? preface.length : 0;
  }

  /** True while the preface is incomplete. */
  get awaitsPreface(): boolean {
    return this.#prefaceLeft > 0;
  }

  /** True while a frame is incomplete. */
  get isInsideFrame(): boolean {
    return this.#partialBytes > 0;
  }

  read(chunk: Buffer): void {
    let at = this.#prefaceLeft > 0 ? this.#readPreface(chunk) : 0;
    if (this.#partialBytes > 0) at = this.#complete(chunk, at);
    const { length } = chunk;
    while (length - at >= frameHeaderBytes) {
      const end = at + frameHeaderBytes + payloadLength(chunk, at);
      if (end > length) break;
      this.#emit(chunk, at, end);
      at = end;
    }
    if (at < length) this.#keep(chunk, at);
  }

  #readPreface(chunk: Buffer): number {
    const count = Math.min(this.#prefaceLeft, chunk.length);
    const from = preface.length - this.#prefaceLeft;
    if (preface.compare(chunk, 0, count, from, from + count) !== 0)
      throw new ConnectionFault(errorCodes.protocolError, "the connection preface is invalid");
    this.#prefaceLeft -= count;
    return count;
  }

  /** Adds bytes to the incomplete frame and handles it once it is complete. */
  #complete(chunk: Buffer, start: number): number {
    const partial = this.#partial;
    if (partial === undefined) return start;
    let at = start;
    while (at < chunk.length) {
      const count = Math.min(this.#needed - this.#partialBytes, chunk.length - at);
      chunk.copy(partial, this.#partialBytes, at, at + count);
      this.#partialBytes += count;
      at += count;
      if (this.#partialBytes < this.#needed) return at;
      if (this.#needed === frameHeaderBytes) this.#needed += payloadLength(partial, 0);
      if (this.#partialBytes === this.#needed) {
        this.#partialBytes = 0;
        this.#emit(partial, 0, this.#needed);
        // An idle connection keeps no buffer.
        this.#partial = undefined;
        return at;
      }
    }
    return at;
  }

  #keep(chunk: Buffer, at: number): void {
    const count = chunk.length - at;
    this.#needed = frameHeaderBytes;
    if (count >= frameHeaderBytes) this.#needed += payloadLength(chunk, at);
    this.#partial = Buffer.allocUnsafe(count >= frameHeaderBytes ? this.#needed : frameHeaderBytes + payloadBytesMax);
    chunk.copy(this.#partial, 0, at);
    this.#partialBytes = count;
  }

  #emit(bytes: Buffer, at: number, end: number): void {
    const streamId = (readUint32(bytes, at + 5) & 0x7fffffff) >>> 0;
    this.#handler.frame(bytes[at + 3] ?? 0, bytes[at + 4] ?? 0, streamId, bytes, at + frameHeaderBytes, end);
  }
}

function payloadLength(bytes: Buffer, at: number): number {
  const length = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
  if (length > payloadBytesMax) throw new ConnectionFault(errorCodes.frameSizeError, "a frame is too large");
  return length;
}

/** Returns the unsigned integer of four bytes. */
export function readUint32(bytes: Buffer, at: number): number {
  return (
    (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0
  );
}
