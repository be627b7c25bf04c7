import type { Socket } from "node:net";
import type { Clock } from "@homeostat/core";
import { CompressionFault } from "../hpack/compression-fault.ts";
import type { FieldTable } from "../hpack/field-table.ts";
import { HpackDecoder } from "../hpack/hpack-decoder.ts";
import { encodeFields } from "../hpack/literal-writer.ts";
import type { Flow } from "./flow.ts";
import { type FrameHandler, FrameReader, readUint32 } from "./frame-reader.ts";
import { connectionWindow, FrameSender } from "./frame-sender.ts";
import { beginRead, endRead } from "./output.ts";
import { ConnectionFault, errorCodes, flags, frameTypes, payloadBytesMax, settingIds, windowMax } from "./protocol.ts";

/** Frames that a header block may be split into. 32 KiB need three; each of them costs the receiver work. */
const continuationsMax = 32;
/** Requests of an engine up to which it writes after every read, not at the end of the turn. */
const quietStreamsMax = 2;
/** Time for the peer to read the last frames and to close its side. */
const lingerMs = 1_000;

/** One of the two sides of a stream, as its connection sees it. */
export interface StreamSide {
  /** Direction from the peer of the connection. */
  readonly incoming: Flow;
  /** Direction to the peer of the connection. */
  readonly outgoing: Flow;
}

/** Objects that all connections of an engine share. */
export interface ConnectionContext {
  /** Filled again for every header block. */
  readonly table: FieldTable;
  readonly headBytesMax: number;
  readonly clock: Clock;
  /** Requests that have not ended. */
  streams: number;
}

/**
 * One HTTP/2 connection: the frames of the peer, its settings, flow control and header blocks. Subclasses are the sides of clients and of upstreams.
 *
 * The proxy announces a header table of size 0. Until the peer has acknowledged and applied it, header blocks are decoded with a dynamic table and encoded
 * again without one; afterwards they are used as they arrive.
 */
export abstract class Connection extends FrameSender implements FrameHandler {
  isClosed = false;
  /** True once the first SETTINGS frame of the peer has arrived. */
  hasPeerSettings = false;
  /** Settings were sent, and the peer has not acknowledged them. */
  awaitsSettingsAck = true;
  readonly #socket: Socket;
  readonly #context: ConnectionContext;
  readonly #reader: FrameReader;
  #receiveWindow = connectionWindow;
  #receivedBytes = 0;
  #decoder: HpackDecoder | undefined = new HpackDecoder();
  #block: { readonly id: number; readonly isEnd: boolean; readonly parts: Buffer[]; bytes: number } | undefined;

  constructor(socket: Socket, context: ConnectionContext, options: { readonly expectsPreface: boolean }) {
    super(socket);
    this.#socket = socket;
    this.#context = context;
    this.#reader = new FrameReader(this, options);
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.receive(chunk));
    // The close event follows.
    socket.on("error", () => undefined);
    socket.on("end", () => this.#socketClosed());
    socket.on("close", () => this.#socketClosed());
  }

  /** Handles bytes that arrived. */
  receive(chunk: Buffer): void {
    if (this.isClosed) return;
    beginRead();
    try {
      this.#reader.read(chunk);
      if (this.output.isOverflowing) throw new ConnectionFault(errorCodes.enhanceYourCalm, "the peer does not read");
    } catch (error) {
      if (!(error instanceof ConnectionFault)) throw error;
      this.fail(error.errorCode, error.message);
    } finally {
      endRead(this.#context.streams <= quietStreamsMax);
    }
  }

  get awaitsPreface(): boolean {
    return this.#reader.awaitsPreface;
  }

  /** True while a header block is incomplete. */
  get isInsideHead(): boolean {
    return this.#block !== undefined || this.#reader.isInsideFrame;
  }

  /** Ends the connection because of an error of the peer. */
  fail(code: number, message: string): void {
    if (this.isClosed) return;
    this.sendGoaway(this.lastPeerStream, code, message);
    this.#close();
  }

  /** Ends the connection after what was sent. */
  close(): void {
    if (!this.isClosed) this.#close();
  }

  destroy(): void {
    this.close();
    this.#socket.destroy();
  }

  // Frames from the peer

  frame(type: number, frameFlags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (this.isClosed) return;
    if (this.#block !== undefined && (type !== frameTypes.continuation || id !== this.#block.id))
      throw protocolError("a header block is interrupted");
    if (!this.hasPeerSettings && (type !== frameTypes.settings || (frameFlags & flags.ack) !== 0))
      throw protocolError("the first frame is not SETTINGS");
    switch (type) {
      case frameTypes.data:
        return this.#data(frameFlags, id, bytes, start, end);
      case frameTypes.headers:
        return this.#headers(frameFlags, id, bytes, start, end);
      case frameTypes.continuation:
        return this.#continuation(frameFlags, bytes, start, end);
      case frameTypes.rstStream:
        if (end - start !== 4) throw sizeError();
        if (id === 0 || this.isIdle(id)) throw protocolError("RST_STREAM is for an idle stream");
        return this.streamReset(id, readUint32(bytes, start));
      case frameTypes.settings:
        return this.#settings(frameFlags, id, bytes, start, end);
      case frameTypes.ping:
        return this.#ping(frameFlags, id, bytes, start, end);
      case frameTypes.goaway:
        if (id !== 0) throw protocolError("GOAWAY has a stream");
        if (end - start < 8) throw sizeError();
        this.guard.control();
        return this.goaway(readUint32(bytes, start) & windowMax, readUint32(bytes, start + 4));
      case frameTypes.windowUpdate:
        return this.#windowUpdate(id, bytes, start, end);
      case frameTypes.priority:
        this.guard.control();
        if (id === 0) throw protocolError("PRIORITY has no stream");
        if (end - start !== 5) {
          if (this.isIdle(id)) throw sizeError();
          return this.#resetForError(id, errorCodes.frameSizeError);
        }
        if ((readUint32(bytes, start) & windowMax) === id) this.#resetForError(id, errorCodes.protocolError);
        return;
      case frameTypes.pushPromise:
        throw protocolError("PUSH_PROMISE is not allowed");
      default:
        // Frames of unknown types are ignored.
        this.guard.control();
    }
  }

  #data(frameFlags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (id === 0) throw protocolError("DATA has no stream");
    const size = end - start;
    this.#receivedBytes += size;
    if (this.#receivedBytes > this.#receiveWindow)
      throw new ConnectionFault(errorCodes.flowControlError, "the window of the connection is exceeded");
    if (this.#receivedBytes * 2 >= this.#receiveWindow) {
      this.sendWindowUpdate(0, this.#receivedBytes);
      this.#receivedBytes = 0;
    }
    let from = start;
    let to = end;
    if ((frameFlags & flags.padded) !== 0) {
      if (size === 0) throw sizeError();
      to -= bytes[from] ?? 0;
      from += 1;
      if (to < from) throw protocolError("the padding is longer than the frame");
    }
    const isEnd = (frameFlags & flags.endStream) !== 0;
    if (to === from && !isEnd) this.guard.control();
    else this.guard.content();
    const stream = this.side(id);
    if (stream === undefined) {
      if (this.isIdle(id)) throw protocolError("DATA is for an idle stream");
      this.closedStream(id);
      return;
    }
    const flow = stream.incoming;
    if (flow.isEnded) return this.#resetForError(id, errorCodes.streamClosed);
    if (size > flow.receivable) return this.#resetForError(id, errorCodes.flowControlError);
    if (flow.declaredLeft !== -1) {
      flow.declaredLeft -= to - from;
      if (flow.declaredLeft < 0 || (isEnd && flow.declaredLeft !== 0))
        return this.#resetForError(id, errorCodes.protocolError);
    }
    this.streamData(id, bytes, from, to, isEnd, size - (to - from));
  }

  #headers(frameFlags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (id === 0) throw protocolError("HEADERS have no stream");
    let from = start;
    let to = end;
    if ((frameFlags & flags.padded) !== 0) {
      if (to - from < 1) throw sizeError();
      to -= bytes[from] ?? 0;
      from += 1;
    }
    let dependsOnItself = false;
    if ((frameFlags & flags.priority) !== 0) {
      if (to - from < 5) throw sizeError();
      dependsOnItself = (readUint32(bytes, from) & windowMax) === id;
      from += 5;
    }
    if (to < from) throw protocolError("the padding is longer than the frame");
    const isEnd = (frameFlags & flags.endStream) !== 0;
    this.guard.content();
    if (dependsOnItself) throw protocolError("a stream depends on itself");
    if ((frameFlags & flags.endHeaders) !== 0) return this.#wholeBlock(id, isEnd, bytes, from, to);
    this.#block = { id, isEnd, parts: [], bytes: 0 };
    this.#addToBlock(bytes, from, to);
  }

  #continuation(frameFlags: number, bytes: Buffer, start: number, end: number): void {
    const block = this.#block;
    if (block === undefined) throw protocolError("CONTINUATION does not follow HEADERS");
    this.#addToBlock(bytes, start, end);
    if ((frameFlags & flags.endHeaders) === 0) return;
    this.#block = undefined;
    const whole = Buffer.concat(block.parts);
    this.#wholeBlock(block.id, block.isEnd, whole, 0, whole.length);
  }

  #addToBlock(bytes: Buffer, start: number, end: number): void {
    const block = this.#block;
    if (block === undefined) return;
    block.bytes += end - start;
    if (block.bytes > this.#context.headBytesMax || block.parts.length > continuationsMax)
      throw new ConnectionFault(errorCodes.enhanceYourCalm, "a header block is too large");
    block.parts.push(Buffer.from(bytes.subarray(start, end)));
  }

  #wholeBlock(id: number, isEnd: boolean, bytes: Buffer, start: number, end: number): void {
    const { table, headBytesMax } = this.#context;
    try {
      if (this.#decoder === undefined) table.scan(bytes, start, end);
      else {
        const { fields, isTooLarge } = this.#decoder.decode(bytes, start, end, headBytesMax);
        table.scan(encodeFields(fields), 0);
        if (isTooLarge) table.isTooLarge = true;
        if (this.#decoder.isTableEmpty && !this.awaitsSettingsAck) this.#decoder = undefined;
      }
    } catch (error) {
      if (!(error instanceof CompressionFault)) throw error;
      throw new ConnectionFault(errorCodes.compressionError, error.message);
    }
    this.streamHeaders(id, isEnd, table);
  }

  #settings(frameFlags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (id !== 0) throw protocolError("SETTINGS have a stream");
    this.guard.control();
    if ((frameFlags & flags.ack) !== 0) {
      if (end !== start) throw sizeError();
      this.awaitsSettingsAck = false;
      this.#decoder?.limitTable(0);
      return;
    }
    if ((end - start) % 6 !== 0) throw sizeError();
    for (let at = start; at < end; at += 6)
      this.#setting(((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0), readUint32(bytes, at + 2));
    this.output.frameHeader(0, frameTypes.settings, flags.ack, 0);
    this.hasPeerSettings = true;
    this.settingsChanged();
  }

  #setting(id: number, value: number): void {
    switch (id) {
      case settingIds.headerTableSize:
        this.resizeTable();
        return;
      case settingIds.initialWindowSize: {
        if (value > windowMax)
          throw new ConnectionFault(errorCodes.flowControlError, "the initial window is too large");
        const change = value - this.peerInitialWindow;
        this.peerInitialWindow = value;
        for (const { outgoing } of this.sides()) {
          outgoing.window += change;
          if (outgoing.window > windowMax)
            throw new ConnectionFault(errorCodes.flowControlError, "a window is too large");
          if (change > 0) outgoing.pump();
        }
        return;
      }
      case settingIds.maxFrameSize:
        if (value < payloadBytesMax || value > 0xffffff) throw protocolError("the frame size is invalid");
        return;
      case settingIds.enablePush:
        if (value > 1) throw protocolError("ENABLE_PUSH is invalid");
        return;
      default:
        this.setting(id, value);
    }
  }

  #ping(frameFlags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (id !== 0) throw protocolError("PING has a stream");
    if (end - start !== 8) throw sizeError();
    this.guard.control();
    if ((frameFlags & flags.ack) !== 0) return this.pingAcknowledged();
    this.output.frameHeader(8, frameTypes.ping, flags.ack, 0);
    this.output.copy(bytes, start, end);
  }

  #windowUpdate(id: number, bytes: Buffer, start: number, end: number): void {
    if (end - start !== 4) throw sizeError();
    this.guard.control();
    const increment = readUint32(bytes, start) & windowMax;
    if (id === 0) {
      if (increment === 0) throw protocolError("a window update is 0");
      return this.openWindow(increment);
    }
    const stream = this.side(id);
    if (stream === undefined) {
      if (this.isIdle(id)) throw protocolError("WINDOW_UPDATE is for an idle stream");
      return;
    }
    if (increment === 0) return this.#resetForError(id, errorCodes.protocolError);
    const flow = stream.outgoing;
    flow.window += increment;
    if (flow.window > windowMax) return this.#resetForError(id, errorCodes.flowControlError);
    flow.pump();
  }

  #resetForError(id: number, code: number): void {
    this.guard.reset();
    this.streamError(id, code);
  }

  #close(): void {
    this.isClosed = true;
    this.#block = undefined;
    this.unblockAll();
    this.output.end();
    if (!this.#socket.destroyed) {
      // A peer that never closes its side would keep the socket forever.
      const timer = this.#context.clock.schedule(lingerMs, () => this.#socket.destroy());
      this.#socket.once("close", () => timer[Symbol.dispose]());
    }
    this.closed();
  }

  #socketClosed(): void {
    if (this.isClosed) return;
    this.#close();
  }

  // Parts that differ between clients and upstreams

  /** Highest stream of the peer that was or might be processed. */
  protected abstract readonly lastPeerStream: number;
  protected abstract side(id: number): StreamSide | undefined;
  protected abstract sides(): Iterable<StreamSide>;
  /** Reports whether a stream was never opened. */
  protected abstract isIdle(id: number): boolean;
  /** Handles a frame of a stream that is closed. */
  protected abstract closedStream(id: number): void;
  protected abstract streamHeaders(id: number, isEnd: boolean, table: FieldTable): void;
  protected abstract streamData(
    id: number,
    bytes: Buffer,
    start: number,
    end: number,
    isEnd: boolean,
    padding: number,
  ): void;
  protected abstract streamReset(id: number, code: number): void;
  /** Ends a stream because of an error of the peer. */
  protected abstract streamError(id: number, code: number): void;
  protected abstract goaway(lastStreamId: number, code: number): void;
  protected abstract setting(id: number, value: number): void;
  protected abstract settingsChanged(): void;
  protected abstract pingAcknowledged(): void;
  protected abstract closed(): void;
}

export function protocolError(message: string): ConnectionFault {
  return new ConnectionFault(errorCodes.protocolError, message);
}

function sizeError(): ConnectionFault {
  return new ConnectionFault(errorCodes.frameSizeError, "a frame has an invalid size");
}
