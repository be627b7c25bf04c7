import { ByteQueue } from "./byte-queue.ts";
import { initialWindow, payloadBytesMax } from "./protocol.ts";

/** A connection from the point of view of one direction of a stream. */
export interface FlowConnection {
  /** Bytes of DATA that the connection accepts now: 0 while its window is used up or its socket is blocked. */
  sendable(): number;
  sendData(streamId: number, bytes: Buffer, start: number, end: number, isEnd: boolean): void;
  sendHeaders(streamId: number, block: Buffer, start: number, end: number, isEnd: boolean): void;
  sendWindowUpdate(streamId: number, increment: number): void;
  /** Takes the flow into the list of those to continue when the connection accepts data again. */
  block(flow: Flow): void;
}

/** The stream of a flow. */
export interface FlowOwner {
  /** Called when END_STREAM was sent. */
  flowEnded(): void;
}

/** Bodies up to this size are kept until the response starts, so that a request can be sent to another target. */
const replayBytesMax = 8_192;
/** A receive window grows up to this size while the other side consumes as fast as data arrives. */
const grownWindowMax = 1024 * 1024;

/**
 * One direction of a stream: from the connection that DATA arrives on, the source, to the one that it leaves on, the sink.
 *
 * The source gets a window update only for bytes that were sent to the sink. A sink that does not read therefore stops the source, and at most one
 * receive window of the stream waits here.
 */
export class Flow {
  /** Send window of the stream at the sink. */
  window: number = initialWindow;
  /** END_STREAM, or trailers, have arrived. */
  isEnded = false;
  /** END_STREAM was sent. */
  isEndSent = false;
  /** Bytes of DATA that the declared content-length still allows, or -1 if none was declared. */
  declaredLeft = -1;
  /** Bytes of DATA that have arrived in total. */
  received = 0;
  readonly #owner: FlowOwner;
  #source: FlowConnection | undefined;
  #sourceId = 0;
  #sink: FlowConnection | undefined;
  #sinkId = 0;
  readonly #queue = new ByteQueue();
  /** Queued bytes that the source already has a window update for, because they were sent before. */
  #rewoundBytes = 0;
  #trailers: Buffer | undefined;
  #receiveWindow = initialWindow;
  /** Received bytes that the source has no window update for yet, and that have left. */
  #consumed = 0;
  /** Copies of the bytes that were sent, while the request can be repeated. */
  #replay: Buffer[] | undefined;
  #replayBytes = 0;

  constructor(owner: FlowOwner) {
    this.#owner = owner;
  }

  /** Bytes that wait for the sink. */
  get queuedBytes(): number {
    return this.#queue.length;
  }

  /** True if nothing that was sent is lost for a second attempt. */
  get canReplay(): boolean {
    return this.#replay !== undefined;
  }

  /** True if the end has arrived and nothing waits before it. */
  get isOnlyEnd(): boolean {
    return this.isEnded && this.#queue.length === 0 && this.#trailers === undefined;
  }

  setSource(source: FlowConnection, id: number): void {
    this.#source = source;
    this.#sourceId = id;
  }

  /** Sets the connection to send to. Call `pump` after its headers. */
  setSink(sink: FlowConnection, id: number, window: number): void {
    this.#sink = sink;
    this.#sinkId = id;
    this.window = window;
  }

  /** Keeps what is sent from now on, for a second attempt. */
  keepForReplay(): void {
    this.#replay = [];
    this.#replayBytes = 0;
  }

  /** Forgets what was kept: the request must not be repeated. */
  endReplay(): void {
    this.#replay = undefined;
  }

  /** Takes back what was sent, and waits for another sink. */
  rewind(): void {
    this.#queue.unshift(Buffer.concat(this.#replay ?? []));
    this.#rewoundBytes += this.#replayBytes;
    this.#replay = [];
    this.#replayBytes = 0;
    this.#sink = undefined;
    this.isEndSent = false;
  }

  /** Disconnects both sides. */
  stop(): void {
    this.#source = undefined;
    this.#sink = undefined;
    this.#queue.clear();
    this.#rewoundBytes = 0;
    this.#trailers = undefined;
    this.#replay = undefined;
  }

  /** Takes DATA from the source; `padding` bytes of the frame were padding. Forwards it at once if possible. */
  data(bytes: Buffer, start: number, end: number, isEnd: boolean, padding: number): void {
    const count = end - start;
    this.received += count;
    if (isEnd) this.isEnded = true;
    const sink = this.#sink;
    if (sink !== undefined && this.#queue.length === 0 && count <= this.window && count <= sink.sendable()) {
      this.#send(sink, bytes, start, end, isEnd);
      this.#consume(count + padding);
      return;
    }
    if (padding > 0) this.#consume(padding);
    this.#queue.push(bytes, start, end);
    if (sink !== undefined) this.pump();
  }

  /** Takes data that the proxy itself sends; no source gets a window update for it. */
  own(bytes: Buffer): void {
    this.isEnded = true;
    this.#source = undefined;
    this.#queue.unshift(bytes);
    this.pump();
  }

  /** Takes the trailers, which end the flow. */
  trailers(block: Buffer): void {
    this.isEnded = true;
    this.#trailers = block;
    this.pump();
  }

  /** Sends as much as the sink accepts. */
  pump(): void {
    const sink = this.#sink;
    if (sink === undefined || this.isEndSent) return;
    while (this.#queue.length > 0) {
      const max = Math.min(this.window, sink.sendable(), payloadBytesMax);
      if (max <= 0) {
        sink.block(this);
        return;
      }
      const part = this.#queue.shift(max);
      const repeated = Math.min(part.length, this.#rewoundBytes);
      this.#rewoundBytes -= repeated;
      this.#send(sink, part, 0, part.length, this.isOnlyEnd);
      this.#consume(part.length - repeated);
    }
    if (!this.isEnded || this.isEndSent) return;
    if (this.#trailers === undefined) this.#send(sink, Buffer.alloc(0), 0, 0, true);
    else {
      this.isEndSent = true;
      sink.sendHeaders(this.#sinkId, this.#trailers, 0, this.#trailers.length, true);
      this.#owner.flowEnded();
    }
  }

  #send(sink: FlowConnection, bytes: Buffer, start: number, end: number, isEnd: boolean): void {
    const count = end - start;
    this.window -= count;
    if (this.#replay !== undefined) this.#remember(bytes, start, end);
    sink.sendData(this.#sinkId, bytes, start, end, isEnd);
    if (!isEnd) return;
    this.isEndSent = true;
    this.#owner.flowEnded();
  }

  #remember(bytes: Buffer, start: number, end: number): void {
    this.#replayBytes += end - start;
    if (this.#replayBytes > replayBytesMax) this.#replay = undefined;
    else if (end > start) this.#replay?.push(Buffer.from(bytes.subarray(start, end)));
  }

  #consume(count: number): void {
    const source = this.#source;
    if (source === undefined || this.isEnded) return;
    this.#consumed += count;
    if (this.#consumed * 2 < this.#receiveWindow) return;
    let increment = this.#consumed;
    // Data leaves as fast as it arrives: a larger window lets a distant peer send more per round trip.
    if (
      this.#queue.length === 0 &&
      this.received > this.#receiveWindow * 4 &&
      this.#receiveWindow * 2 <= grownWindowMax
    ) {
      increment += this.#receiveWindow;
      this.#receiveWindow *= 2;
    }
    this.#consumed = 0;
    source.sendWindowUpdate(this.#sourceId, increment);
  }

  /** Bytes that the source may send before it has to wait. A peer that sends more violates flow control. */
  get receivable(): number {
    return this.#receiveWindow - this.#consumed - (this.#queue.length - this.#rewoundBytes);
  }
}
