import type { Socket } from "node:net";
import { atEndOfTurn } from "@homeostat/core";
import { frameHeaderBytes } from "./protocol.ts";

const bufferBytes = 65_536;
/** Strings up to this size are written by Node without an allocation. */
const textBytesMax = 16_384;
/** Bytes that wait in the socket before the connection counts as blocked. */
const blockedBytes = 131_072;
/** Bytes that may wait at all. DATA stops at `blockedBytes`; more can only be replies to frames of a peer that does not read. */
const waitingBytesMax = 4 * 1024 * 1024;

/** Buffers that no connection uses at the moment. A connection has one only between its first frame of a turn and the write. */
const spareBuffers: Buffer[] = [];
const spareBuffersMax = 16;

let dirty: Output[] = [];
let isScheduled = false;
/** True while the bytes of a read are handled. */
let isReading = false;

/** Begins to handle the bytes of a read. What they cause is gathered until {@link endRead}. */
export function beginRead(): void {
  isReading = true;
}

/**
 * Ends the handling of a read. With `isQuiet` its frames are written at once: hardly any other socket has something to add in this turn, and to wait for the
 * end of the turn costs more than a system call saves.
 */
export function endRead(isQuiet: boolean): void {
  isReading = false;
  if (dirty.length === 0) return;
  if (isQuiet) flushAll();
  else schedule();
}

/**
 * The frames that a connection sends. They are gathered, and written once per turn of the event loop: one system call for all frames that
 * the reads of one turn caused. See {@link endRead} for the exception.
 */
export class Output {
  /** True while so much waits in the socket that no more DATA should be sent. `onDrain` is called afterwards. */
  isBlocked = false;
  readonly #socket: Socket;
  readonly #onDrain: () => void;
  #buffer: Buffer | undefined;
  #bytes = 0;
  #isDirty = false;
  #isEnded = false;

  constructor(socket: Socket, onDrain: () => void) {
    this.#socket = socket;
    this.#onDrain = onDrain;
    socket.on("drain", () => {
      if (!this.isBlocked) return;
      this.isBlocked = false;
      this.#onDrain();
    });
  }

  /** True if the peer reads so slowly that memory would grow without limit. */
  get isOverflowing(): boolean {
    return this.#socket.writableLength > waitingBytesMax;
  }

  /** Appends the nine bytes before a payload. */
  frameHeader(length: number, type: number, frameFlags: number, streamId: number): void {
    const buffer = this.#room(frameHeaderBytes);
    const at = this.#bytes;
    buffer[at] = length >>> 16;
    buffer[at + 1] = length >>> 8;
    buffer[at + 2] = length;
    buffer[at + 3] = type;
    buffer[at + 4] = frameFlags;
    buffer[at + 5] = streamId >>> 24;
    buffer[at + 6] = streamId >>> 16;
    buffer[at + 7] = streamId >>> 8;
    buffer[at + 8] = streamId;
    this.#bytes = at + frameHeaderBytes;
  }

  uint32(value: number): void {
    const buffer = this.#room(4);
    this.#bytes = buffer.writeUInt32BE(value, this.#bytes);
  }

  uint16(value: number): void {
    const buffer = this.#room(2);
    this.#bytes = buffer.writeUInt16BE(value, this.#bytes);
  }

  byte(value: number): void {
    const buffer = this.#room(1);
    buffer[this.#bytes] = value;
    this.#bytes += 1;
  }

  /** Appends a copy of bytes, at most the payload of one frame. */
  copy(bytes: Buffer, start: number, end: number): void {
    const count = end - start;
    const buffer = this.#room(count);
    const at = this.#bytes;
    if (count <= 48) for (let index = 0; index < count; index += 1) buffer[at + index] = bytes[start + index] ?? 0;
    else bytes.copy(buffer, at, start, end);
    this.#bytes = at + count;
  }

  /** Writes what was gathered. */
  flush(): void {
    const buffer = this.#buffer;
    if (buffer === undefined) return;
    const count = this.#bytes;
    this.#buffer = undefined;
    this.#bytes = 0;
    const socket = this.#socket;
    if (this.#isEnded || socket.destroyed) release(buffer);
    else if (count <= textBytesMax) {
      socket.write(buffer.toString("latin1", 0, count), "latin1");
      release(buffer);
    } else socket.write(buffer.subarray(0, count));
    if (socket.writableLength > blockedBytes) this.isBlocked = true;
  }

  /** Writes what was gathered, then the end. Frames after it are dropped. */
  end(): void {
    this.flush();
    if (!this.#isEnded) this.#socket.end();
    this.#isEnded = true;
  }

  #room(count: number): Buffer {
    if (this.#buffer !== undefined && this.#bytes + count > bufferBytes) this.flush();
    this.#buffer ??= spareBuffers.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
    if (!this.#isDirty) {
      this.#isDirty = true;
      dirty.push(this);
      if (!isReading) schedule();
    }
    return this.#buffer;
  }

  /** Writes at the end of a turn. */
  static flushTurn(output: Output): void {
    output.#isDirty = false;
    output.flush();
  }
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  atEndOfTurn(flushTurn);
}

function flushTurn(): void {
  isScheduled = false;
  flushAll();
}

function flushAll(): void {
  const outputs = dirty;
  dirty = [];
  for (const output of outputs) Output.flushTurn(output);
}

function release(buffer: Buffer): void {
  if (spareBuffers.length < spareBuffersMax) spareBuffers.push(buffer);
}
