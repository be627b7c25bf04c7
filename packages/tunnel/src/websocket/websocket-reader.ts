// Reads the frames of a WebSocket (RFC 6455). Data of binary messages is passed on in the pieces in which it arrives: the length of a message does not
// matter for memory.
import { ProtocolError } from "../errors.ts";

/** Receives what a {@link WebSocketReader} reads. */
export interface WebSocketHandlers {
  /** Called with data of a binary message. `isStart` is true for the first data of a message. */
  readonly data: (chunk: Buffer, isStart: boolean) => void;
  readonly ping: (payload: Buffer) => void;
  readonly close: () => void;
}

/** Codes of frames. */
export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Largest payload of one frame. Programs of this project send at most a tenth of it. */
const payloadBytesMax = 16 * 1024 * 1024;
const controlBytesMax = 125;

interface FrameHead {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly mask: Buffer | undefined;
  readonly length: number;
}

/** Reads frames of one side. */
export class WebSocketReader {
  readonly #handlers: WebSocketHandlers;
  readonly #isMasked: boolean;
  #partial: Buffer = Buffer.alloc(0);
  #head: FrameHead | undefined;
  /** Bytes of the current frame that have not arrived yet, and that have. */
  #left = 0;
  #read = 0;
  #control: Buffer[] = [];
  /** True between the first and the last frame of a message. */
  #isInMessage = false;
  #isMessageStart = false;

  /** `isMasked` says whether the peer masks its frames: clients must, and servers must not. */
  constructor(handlers: WebSocketHandlers, { isMasked }: { readonly isMasked: boolean }) {
    this.#handlers = handlers;
    this.#isMasked = isMasked;
  }

  /** Reads received bytes. Throws a {@link ProtocolError}; the reader must not be used afterwards. */
  read(chunk: Buffer): void {
    let rest = this.#partial.length === 0 ? chunk : Buffer.concat([this.#partial, chunk]);
    this.#partial = Buffer.alloc(0);
    while (rest.length > 0 || this.#isFrameComplete) {
      if (this.#head === undefined) {
        const length = headLength(rest);
        if (length === undefined || rest.length < length) {
          this.#partial = rest;
          return;
        }
        this.#begin(rest);
        rest = rest.subarray(length);
      }
      const piece = rest.subarray(0, Math.min(rest.length, this.#left));
      rest = rest.subarray(piece.length);
      this.#take(piece);
    }
  }

  /** True if the head of a frame was read that needs no further bytes. */
  get #isFrameComplete(): boolean {
    return this.#head !== undefined && this.#left === 0;
  }

  #begin(bytes: Buffer): void {
    const head = readHead(bytes);
    const isControl = head.opcode >= opcode.close;
    if ((head.mask !== undefined) !== this.#isMasked)
      throw new ProtocolError(`a WebSocket frame is ${this.#isMasked ? "not " : ""}masked`);
    if (isControl && (!head.isFinal || head.length > controlBytesMax))
      throw new ProtocolError("a WebSocket control frame is fragmented or too long");
    if (!isControl) {
      if (head.opcode === opcode.text) throw new ProtocolError("a WebSocket message is text; it must be binary");
      if ((head.opcode === opcode.continuation) !== this.#isInMessage)
        throw new ProtocolError("a WebSocket message is fragmented in the wrong order");
      if (head.opcode === opcode.binary) this.#isMessageStart = true;
      this.#isInMessage = !head.isFinal;
    }
    this.#head = head;
    this.#left = head.length;
    this.#read = 0;
    this.#control = [];
  }

  #take(piece: Buffer): void {
    const head = this.#head;
    if (head === undefined) return;
    const clear = head.mask === undefined ? piece : unmask(piece, head.mask, this.#read);
    this.#left -= piece.length;
    this.#read += piece.length;
    if (this.#left === 0) this.#head = undefined;
    if (head.opcode >= opcode.close) {
      this.#control.push(clear);
      if (this.#left === 0) this.#endControl(head.opcode);
    } else if (clear.length > 0) {
      const isStart = this.#isMessageStart;
      this.#isMessageStart = false;
      this.#handlers.data(clear, isStart);
    }
  }

  #endControl(code: number): void {
    if (code === opcode.ping) this.#handlers.ping(Buffer.concat(this.#control));
    else if (code === opcode.close) this.#handlers.close();
  }
}

/** Returns the length of the head of a frame, undefined if too little of it is known. */
function headLength(bytes: Buffer): number | undefined {
  if (bytes.length < 2) return undefined;
  const second = bytes[1] ?? 0;
  const length = second & 0x7f;
  return 2 + (length === 126 ? 2 : length === 127 ? 8 : 0) + ((second & 0x80) === 0 ? 0 : 4);
}

function readHead(bytes: Buffer): FrameHead {
  const first = bytes[0] ?? 0;
  const second = bytes[1] ?? 0;
  const code = first & 0x0f;
  if ((first & 0x70) !== 0) throw new ProtocolError("a WebSocket frame has reserved bits");
  if (!Object.values<number>(opcode).includes(code)) throw new ProtocolError(`a WebSocket frame has the code ${code}`);
  let length = second & 0x7f;
  let at = 2;
  if (length === 126) {
    length = bytes.readUInt16BE(2);
    at = 4;
  } else if (length === 127) {
    const long = bytes.readBigUInt64BE(2);
    length = long > BigInt(payloadBytesMax) ? payloadBytesMax + 1 : Number(long);
    at = 10;
  }
  if (length > payloadBytesMax) throw new ProtocolError(`a WebSocket frame is longer than ${payloadBytesMax} bytes`);
  const mask = (second & 0x80) === 0 ? undefined : Buffer.from(bytes.subarray(at, at + 4));
  return { opcode: code, isFinal: (first & 0x80) !== 0, mask, length };
}

/** Returns bytes without their mask. `at` is their position in the payload. The bytes themselves are changed: they belong to this connection. */
function unmask(bytes: Buffer, mask: Buffer, at: number): Buffer {
  maskInPlace(bytes, mask, at);
  return bytes;
}

/** Applies a mask to bytes, four at a time where they are aligned. Used in both directions. */
export function maskInPlace(bytes: Buffer, mask: Buffer, at = 0): void {
  const keyAt = (index: number): number => mask[(at + index) & 3] ?? 0;
  const xor = (from: number, to: number): void => {
    for (let index = from; index < to; index += 1) bytes[index] = (bytes[index] ?? 0) ^ keyAt(index);
  };
  const start = Math.min(bytes.length, (4 - (bytes.byteOffset & 3)) & 3);
  const count = (bytes.length - start) >> 2;
  xor(0, start);
  if (count > 0) {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + start, count);
    const word =
      new Int32Array(Uint8Array.of(keyAt(start), keyAt(start + 1), keyAt(start + 2), keyAt(start + 3)).buffer)[0] ?? 0;
    for (let index = 0; index < count; index += 1) words[index] = (words[index] ?? 0) ^ word;
  }
  xor(start + 4 * count, bytes.length);
}

/** Returns the head of a final frame. The mask follows it if there is one. */
export function frameHead(code: number, length: number, mask: Buffer | undefined): Buffer {
  const lengthBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(2 + lengthBytes);
  head[0] = 0x80 | code;
  head[1] = (mask === undefined ? 0 : 0x80) | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127);
  if (lengthBytes === 2) head.writeUInt16BE(length, 2);
  else if (lengthBytes === 8) head.writeBigUInt64BE(BigInt(length), 2);
  return mask === undefined ? head : Buffer.concat([head, mask]);
}
