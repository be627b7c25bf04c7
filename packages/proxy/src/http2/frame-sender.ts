import type { Socket } from "node:net";
import { FloodGuard } from "./flood-guard.ts";
import type { Flow, FlowConnection } from "./flow.ts";
import { Output } from "./output.ts";
import {
  ConnectionFault,
  errorCodes,
  flags,
  frameTypes,
  initialWindow,
  payloadBytesMax,
  windowMax,
} from "./protocol.ts";

/**
 * Receive window of a connection. It is refilled when bytes arrive, not when they leave: a stream whose reader stalls would otherwise block all others.
 * The windows of streams bound the memory.
 */
export const connectionWindow: number = 4 * 1024 * 1024;
/** Latest streams that the proxy has reset; frames that were on their way are ignored. */
const resetIdsMax = 1_000;

/** The direction of a connection to its peer: frames, the send window, and the flows that wait for it. */
export abstract class FrameSender implements FlowConnection {
  /** Initial send window of streams, a setting of the peer. */
  peerInitialWindow: number = initialWindow;
  protected readonly output: Output;
  protected readonly guard: FloodGuard = new FloodGuard();
  readonly #resetIds = new Set<number>();
  #blocked = new Set<Flow>();
  #sendWindow = initialWindow;
  /** The next header block starts with an update of the table size to 0. */
  #mustResizeTable = true;

  constructor(socket: Socket) {
    this.output = new Output(socket, () => this.#pumpBlocked());
  }

  sendable(): number {
    return this.output.isBlocked ? 0 : this.#sendWindow;
  }

  sendData(streamId: number, bytes: Buffer, start: number, end: number, isEnd: boolean): void {
    const count = end - start;
    this.#sendWindow -= count;
    this.guard.content();
    this.output.frameHeader(count, frameTypes.data, isEnd ? flags.endStream : 0, streamId);
    if (count > 0) this.output.copy(bytes, start, end);
  }

  /** Sends a header block, and fields to add to it. Long blocks continue in further frames. */
  sendHeaders(streamId: number, block: Buffer, start: number, end: number, isEnd: boolean, extra?: Buffer): void {
    const resize = this.#mustResizeTable ? 1 : 0;
    const length = resize + (end - start) + (extra?.length ?? 0);
    const endFlag = isEnd ? flags.endStream : 0;
    this.#mustResizeTable = false;
    if (length <= payloadBytesMax) {
      this.output.frameHeader(length, frameTypes.headers, flags.endHeaders | endFlag, streamId);
      if (resize === 1) this.output.byte(0x20);
      this.output.copy(block, start, end);
      if (extra !== undefined) this.output.copy(extra, 0, extra.length);
      return;
    }
    const whole = Buffer.concat([
      ...(resize === 1 ? [Buffer.of(0x20)] : []),
      block.subarray(start, end),
      ...(extra === undefined ? [] : [extra]),
    ]);
    for (let at = 0; at < length; at += payloadBytesMax) {
      const to = Math.min(at + payloadBytesMax, length);
      const type = at === 0 ? frameTypes.headers : frameTypes.continuation;
      const frameFlags = (at === 0 ? endFlag : 0) | (to === length ? flags.endHeaders : 0);
      this.output.frameHeader(to - at, type, frameFlags, streamId);
      this.output.copy(whole, at, to);
    }
  }

  sendWindowUpdate(streamId: number, increment: number): void {
    this.output.frameHeader(4, frameTypes.windowUpdate, 0, streamId);
    this.output.uint32(increment);
  }

  /** Sends RST_STREAM. Frames of the stream that are on their way will be ignored. */
  sendReset(streamId: number, code: number): void {
    this.output.frameHeader(4, frameTypes.rstStream, 0, streamId);
    this.output.uint32(code);
    this.#resetIds.add(streamId);
    if (this.#resetIds.size > resetIdsMax)
      for (const oldest of this.#resetIds) return void this.#resetIds.delete(oldest);
  }

  sendPing(): void {
    this.output.frameHeader(8, frameTypes.ping, 0, 0);
    this.output.uint32(0);
    this.output.uint32(0);
  }

  sendGoaway(lastStreamId: number, code: number, message = ""): void {
    this.output.frameHeader(8 + message.length, frameTypes.goaway, 0, 0);
    this.output.uint32(lastStreamId);
    this.output.uint32(code);
    this.output.copy(Buffer.from(message, "latin1"), 0, message.length);
  }

  protected sendSettings(settings: readonly (readonly [id: number, value: number])[]): void {
    this.output.frameHeader(settings.length * 6, frameTypes.settings, 0, 0);
    for (const [id, value] of settings) {
      this.output.uint16(id);
      this.output.uint32(value);
    }
    this.sendWindowUpdate(0, connectionWindow - initialWindow);
  }

  block(flow: Flow): void {
    this.#blocked.add(flow);
  }

  unblock(flow: Flow): void {
    this.#blocked.delete(flow);
  }

  protected wasReset(streamId: number): boolean {
    return this.#resetIds.has(streamId);
  }

  /** The peer has announced another size of its header table. */
  protected resizeTable(): void {
    this.#mustResizeTable = true;
  }

  /** Adds to the send window of the connection. */
  protected openWindow(increment: number): void {
    this.#sendWindow += increment;
    if (this.#sendWindow > windowMax) throw new ConnectionFault(errorCodes.flowControlError, "the window is too large");
    this.#pumpBlocked();
  }

  /** Forgets the flows that wait: the connection ends. */
  protected unblockAll(): void {
    this.#blocked.clear();
  }

  /** Continues flows that waited for the window of the connection or for its socket. */
  #pumpBlocked(): void {
    if (this.#blocked.size === 0) return;
    const flows = this.#blocked;
    this.#blocked = new Set();
    for (const flow of flows) flow.pump();
  }
}
