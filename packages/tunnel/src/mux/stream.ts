import { frameFlag, type FrameHeader, frameType } from "../frames/frame.ts";
import { ProtocolError } from "../errors.ts";
import { ReceiveWindow } from "./receive-window.ts";

/** Receives the events of a stream. `closed` comes once and last. */
export interface StreamHandlers {
  /** Called when the peer accepted a stream that this end opened. */
  accepted?(): void;
  /** Called with received data. Report consumed bytes with {@link MuxStream.consumed}: without it the peer stops sending. */
  data(chunk: Buffer): void;
  /** Called when the peer sends no more data. */
  ended(): void;
  /** Called when `write` may be called again after it returned false. */
  drained(): void;
  /** Called when both directions have ended, after a reset, and when the session ends. */
  closed(reason: "finished" | "reset" | "session"): void;
}

/** The operations of a session that its streams use. */
export interface StreamSession {
  readonly streamQueueBytes: number;
  writeControl(frame: FrameHeader): void;
  /** Counts a stream of the peer as accepted. */
  accepted(stream: MuxStream): void;
  /** Gives the stream a turn to send data as soon as the carrier takes more. */
  scheduleData(stream: MuxStream): void;
  /** Counts bytes that the stream consumed. Returns false if window updates are withheld for it; the session then asks for them later. */
  releaseUnread(stream: MuxStream, bytes: number): boolean;
  /** Returns the amount by which the window of the stream is raised. */
  windowUpdate(window: ReceiveWindow): number;
  remove(stream: MuxStream): void;
}

/** One of many byte streams over a session, with a window for each direction. */
export class MuxStream {
  readonly id: number;
  readonly #session: StreamSession;
  readonly #window: ReceiveWindow;
  /** Bytes that the peer allows to send. */
  #sendWindow: number;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #isWriterWaiting = false;
  #isUnaccepted: boolean;
  #isEnding = false;
  #isFinSent = false;
  #isFinReceived = false;
  #isClosed = false;
  #unreadBytes = 0;
  #handlers: StreamHandlers | undefined;

  constructor(
    session: StreamSession,
    options: {
      readonly id: number;
      readonly isOpenedByPeer: boolean;
      readonly windowBytes: number;
      readonly now: number;
    },
  ) {
    this.id = options.id;
    this.#session = session;
    this.#sendWindow = options.windowBytes;
    this.#window = new ReceiveWindow({ bytes: options.windowBytes, now: options.now });
    this.#isUnaccepted = options.isOpenedByPeer;
  }

  /** True after {@link StreamHandlers.closed}. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Bytes that wait for the window or for the carrier. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** Bytes that were received and not consumed yet. */
  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  /** Size of the receive window in bytes. */
  get windowBytes(): number {
    return this.#window.size;
  }

  /** True if the session may send a data frame for this stream now. */
  get canSend(): boolean {
    return this.#queuedBytes > 0 && this.#sendWindow > 0 && !this.#isClosed;
  }

  /** Sets the receiver of events. A stream of the peer must have one before the callback that announced it returns, unless it is reset. */
  handle(handlers: StreamHandlers): void {
    this.#handlers = handlers;
  }

  /** Accepts a stream that the peer opened. Has no effect if it was accepted. */
  accept(): void {
    if (!this.#isUnaccepted || this.#isClosed) return;
    this.#isUnaccepted = false;
    this.#session.accepted(this);
    this.#session.writeControl({ type: frameType.windowUpdate, flags: frameFlag.ack, id: this.id, length: 0 });
  }

  /** Sends data, which the caller must not change afterwards. Returns false if the caller should wait for {@link StreamHandlers.drained}. */
  write(chunk: Buffer): boolean {
    if (this.#isClosed || this.#isEnding) return false;
    this.accept();
    if (chunk.length > 0) {
      this.#queue.push(chunk);
      this.#queuedBytes += chunk.length;
      if (this.canSend) this.#session.scheduleData(this);
    }
    this.#isWriterWaiting = this.#queuedBytes >= this.#session.streamQueueBytes;
    return !this.#isWriterWaiting;
  }

  /** Ends this direction after the queued data. */
  end(): void {
    if (this.#isClosed || this.#isEnding) return;
    this.accept();
    this.#isEnding = true;
    this.#finishSending();
  }

  /** Ends the stream at once in both directions. Queued data is lost. */
  reset(): void {
    if (this.#isClosed) return;
    this.#session.writeControl({ type: frameType.windowUpdate, flags: frameFlag.rst, id: this.id, length: 0 });
    this.close("reset");
  }

  /** Reports that the destination has consumed received bytes, so that the peer may send as many more. */
  consumed(bytes: number): void {
    if (this.#isClosed || bytes <= 0) return;
    this.#unreadBytes -= bytes;
    const isDue = this.#window.consume(bytes);
    if (this.#session.releaseUnread(this, bytes) && isDue) this.sendWindowUpdate();
  }

  /** Gives all consumed bytes back to the peer. Called by the session. */
  sendWindowUpdate(): void {
    if (this.#isClosed || this.#isFinReceived) return;
    const length = this.#session.windowUpdate(this.#window);
    if (length > 0) this.#session.writeControl({ type: frameType.windowUpdate, flags: 0, id: this.id, length });
  }

  /** Returns the data of the next frame and takes it from the queue. Called by the session when {@link canSend} is true. */
  takeData(bytesMax: number): readonly Buffer[] {
    let room = Math.min(bytesMax, this.#sendWindow, this.#queuedBytes);
    this.#sendWindow -= room;
    this.#queuedBytes -= room;
    let count = 0;
    for (; count < this.#queue.length && room > 0; count += 1) {
      const chunk = this.#queue[count];
      if (chunk === undefined || chunk.length > room) break;
      room -= chunk.length;
    }
    const taken = this.#queue.splice(0, count);
    const [next] = this.#queue;
    if (room > 0 && next !== undefined) {
      taken.push(next.subarray(0, room));
      this.#queue[0] = next.subarray(room);
    }
    return taken;
  }

  /** Continues after a data frame was sent: lets the writer go on, or ends this direction. Called by the session. */
  dataSent(): void {
    if (this.#isEnding) this.#finishSending();
    else if (this.#isWriterWaiting && this.#queuedBytes < this.#session.streamQueueBytes / 2) {
      this.#isWriterWaiting = false;
      this.#handlers?.drained();
    }
  }

  /** Takes the header of a frame of this stream. Throws a {@link ProtocolError}. Called by the session. */
  receiveFrame({ type, flags, length }: FrameHeader): void {
    if (type === frameType.data) this.#expectData(length);
    else this.#raiseSendWindow(length);
    if ((flags & frameFlag.ack) !== 0) this.#handlers?.accepted?.();
    if ((flags & frameFlag.rst) !== 0) this.close("reset");
  }

  /** Takes data. Called by the session. */
  receiveData(chunk: Buffer): void {
    this.#unreadBytes += chunk.length;
    this.#handlers?.data(chunk);
  }

  /** Takes the end of the peer's direction, after the data of the frame that carries the flag. Called by the session. */
  receiveEnd(): void {
    if (this.#isFinReceived || this.#isClosed) return;
    this.#isFinReceived = true;
    this.#handlers?.ended();
    this.#closeIfFinished();
  }

  /** Closes the stream without a frame. Called by the session. */
  close(reason: "finished" | "reset" | "session"): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#session.remove(this);
    this.#unreadBytes = 0;
    this.#handlers?.closed(reason);
  }

  #expectData(length: number): void {
    if (length === 0) return;
    if (this.#isFinReceived) throw new ProtocolError(`stream ${this.id} sent data after its end`);
    if (!this.#window.receive(length)) throw new ProtocolError(`stream ${this.id} sent more than its window allows`);
  }

  #raiseSendWindow(length: number): void {
    this.#sendWindow += length;
    if (this.#sendWindow > 0xffff_ffff) throw new ProtocolError(`the window of stream ${this.id} is larger than 4 GiB`);
    if (this.canSend) this.#session.scheduleData(this);
  }

  #finishSending(): void {
    if (this.#queuedBytes > 0 || this.#isFinSent) return;
    this.#isFinSent = true;
    this.#session.writeControl({ type: frameType.windowUpdate, flags: frameFlag.fin, id: this.id, length: 0 });
    this.#closeIfFinished();
  }

  #closeIfFinished(): void {
    if (this.#isFinSent && this.#isFinReceived) this.close("finished");
  }
}
