import { type FrameHeader, frameType, headerBytes, knownFlags } from "./frame.ts";
import { ProtocolError } from "../errors.ts";

/** Receives the frames that a {@link FrameReader} reads. */
export interface FrameHandlers {
  /** Called with each header, before the data of the frame. Throws a `ProtocolError` to refuse the frame. */
  frame(header: FrameHeader): void;
  /** Called with the data of a frame in the pieces in which it arrives. */
  data(chunk: Buffer, isLast: boolean): void;
}

/**
 * Reads frames from a byte stream that is cut anywhere.
 *
 * Data is passed on in slices of the received chunks: it is neither copied nor collected, so the length of a frame does not matter for memory.
 */
export class FrameReader {
  readonly #handlers: FrameHandlers;
  /** The beginning of a header whose end has not arrived yet. */
  readonly #partial: Buffer = Buffer.alloc(headerBytes);
  #partialBytes = 0;
  /** Bytes of the current data frame that have not arrived yet. */
  #dataLeft = 0;

  constructor(handlers: FrameHandlers) {
    this.#handlers = handlers;
  }

  /** Reads received bytes. Throws a {@link ProtocolError} if they are not frames; the reader must not be used afterwards. */
  read(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#dataLeft > 0) at = this.#readData(chunk, at);
      else if (this.#partialBytes === 0 && chunk.length - at >= headerBytes) {
        this.#readHeader(chunk, at);
        at += headerBytes;
      } else {
        const copied = chunk.copy(this.#partial, this.#partialBytes, at, at + headerBytes - this.#partialBytes);
        this.#partialBytes += copied;
        at += copied;
        if (this.#partialBytes < headerBytes) return;
        this.#partialBytes = 0;
        this.#readHeader(this.#partial, 0);
      }
    }
  }

  #readData(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#dataLeft);
    this.#dataLeft -= end - at;
    const isWhole = at === 0 && end === chunk.length;
    this.#handlers.data(isWhole ? chunk : chunk.subarray(at, end), this.#dataLeft === 0);
    return end;
  }

  #readHeader(bytes: Buffer, at: number): void {
    const version = bytes[at] ?? 0;
    const type = bytes[at + 1] ?? 0;
    const flags = bytes.readUInt16BE(at + 2);
    if (version !== 0) throw new ProtocolError(`the version of a frame is ${version}, and must be 0`);
    if (type > frameType.goAway) throw new ProtocolError(`the type of a frame is ${type}, and must be at most 3`);
    if (flags > knownFlags) throw new ProtocolError(`a frame has the unknown flags 0x${flags.toString(16)}`);
    const header = { type, flags, id: bytes.readUInt32BE(at + 4), length: bytes.readUInt32BE(at + 8) };
    this.#handlers.frame(header);
    if (type === frameType.data) this.#dataLeft = header.length;
  }
}
