// A session: many streams over one connection, with the frames of yamux.
//
//   source ──write──▶ MuxStream queue ──turns──▶ Session ──frames──▶ Carrier ─ ─ ─▶ peer
//                         ▲ window of the peer                │ queuedBytes
//   destination ◀──data── MuxStream ◀──frames── FrameReader ◀─┘
//
// Streams with data take turns of one frame each, so that a large transfer does not delay the others. Control frames are written at once.
import type { Clock, Timer } from "@homeostat/core";
import { encodeHeader, frameFlag, type FrameHeader, frameType, goAwayCode, type GoAwayCode } from "../frames/frame.ts";
import { FrameReader } from "../frames/frame-reader.ts";
import type { Carrier } from "../carrier/carrier.ts";
import { ProtocolError, StreamRefusedError } from "../errors.ts";
import { defaultMuxLimits, type MuxLimits } from "./limits.ts";
import { LifeSigns } from "./life-signs.ts";
import { PeerIds } from "./peer-ids.ts";
import type { ReceiveWindow } from "./receive-window.ts";
import { MuxStream, type StreamHandlers, type StreamSession } from "./stream.ts";

/** The reason for which a session ended. */
export type SessionEnd =
  | { readonly reason: "closed" }
  | { readonly reason: "go-away"; readonly code: number }
  | { readonly reason: "protocol"; readonly error: ProtocolError }
  | { readonly reason: "silent" | "stalled" }
  | { readonly reason: "connection"; readonly error: Error | undefined };

/** Options of a {@link Session}. */
export interface SessionOptions {
  readonly carrier: Carrier;
  /** The client opens streams with odd ids, the server with even ones. */
  readonly side: "client" | "server";
  readonly clock: Clock;
  readonly limits?: Partial<MuxLimits>;
  /** Called with each stream that the peer opens. It must call `handle` of the stream, or reset it. */
  readonly onStream: (stream: MuxStream) => void;
  /** Called when the peer asks to open no more streams, because it will close the session. */
  readonly onGoAway?: (code: number) => void;
  /** Called once when the session has ended. All streams are closed before. */
  readonly onEnd: (end: SessionEnd) => void;
}

/** Largest id of a stream. A session with more streams than this has to be replaced. */
const idMax = 0xffff_ffff;

/** Many streams over one connection. It starts to read and to send pings when it is constructed by {@link Session.start}. */
export class Session {
  readonly #carrier: Carrier;
  readonly #clock: Clock;
  readonly #limits: MuxLimits;
  readonly #options: SessionOptions;
  readonly #reader: FrameReader;
  readonly #lifeSigns: LifeSigns;
  readonly #streams = new Map<number, MuxStream>();
  /** Streams with data and window, in the order of their turns. */
  #ready: MuxStream[] = [];
  readonly #isReady = new Set<MuxStream>();
  /** Streams whose window updates are withheld, because too many bytes are unread. */
  readonly #withheld = new Set<MuxStream>();
  #nextId: number;
  readonly #peerIds: PeerIds;
  /** Streams that were opened and not accepted yet, by the end that opened them. */
  readonly #unaccepted = { own: new Set<MuxStream>(), peer: new Set<MuxStream>() };
  #unreadBytes = 0;
  /** The stream of the current data frame; undefined if its data is discarded. */
  #receiving: MuxStream | undefined;
  #isEndAfterData = false;
  #isGoAwaySent = false;
  #isGoAwayReceived = false;
  #isEnded = false;
  /** Destroys a connection that the peer does not close. */
  #closing: Timer | undefined;
  readonly #port: StreamSession;

  private constructor(options: SessionOptions) {
    this.#options = options;
    this.#carrier = options.carrier;
    this.#clock = options.clock;
    this.#limits = { ...defaultMuxLimits, ...options.limits };
    this.#nextId = options.side === "client" ? 1 : 2;
    this.#peerIds = new PeerIds({ first: options.side === "client" ? 2 : 1 });
    this.#reader = new FrameReader({ frame: this.#frame, data: this.#data });
    this.#lifeSigns = new LifeSigns({
      clock: options.clock,
      intervalMs: this.#limits.pingMs,
      missesMax: this.#limits.missesMax,
      ping: (token) => this.#control({ type: frameType.ping, flags: frameFlag.syn, id: 0, length: token }),
      queuedBytes: () => this.#carrier.queuedBytes,
      dead: (reason) => this.#finish({ reason }),
    });
    this.#port = {
      streamQueueBytes: this.#limits.streamQueueBytes,
      writeControl: (frame) => this.#control(frame),
      accepted: (stream) => this.#unaccepted.peer.delete(stream),
      scheduleData: (stream) => this.#schedule(stream),
      releaseUnread: (stream, bytes) => this.#release(stream, bytes),
      windowUpdate: (window) => this.#windowUpdate(window),
      remove: (stream) => this.#remove(stream),
    };
  }

  /** Starts a session on a connection: reads frames and sends pings. */
  static start(options: SessionOptions): Session {
    const session = new Session(options);
    session.#carrier.start({ bytes: session.#bytes, flushed: session.#flushed, closed: session.#closed });
    session.#lifeSigns.start();
    return session;
  }

  /** Number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  /** Received bytes of all streams that were not consumed yet. */
  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  /** Round-trip time in milliseconds; undefined until it was measured. */
  get rttMs(): number | undefined {
    return this.#lifeSigns.rttMs;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Opens a stream. Data may be written at once. Throws a {@link StreamRefusedError}. */
  open(handlers: StreamHandlers): MuxStream {
    if (this.#isEnded || this.#nextId > idMax) throw new StreamRefusedError("closed");
    if (this.#isGoAwayReceived || this.#isGoAwaySent) throw new StreamRefusedError("draining");
    const { streamsMax, unacceptedMax } = this.#limits;
    if (this.#streams.size >= streamsMax || this.#unaccepted.own.size >= unacceptedMax)
      throw new StreamRefusedError("limit");
    const stream = this.#add(this.#nextId, { isOpenedByPeer: false });
    this.#nextId += 2;
    this.#unaccepted.own.add(stream);
    stream.handle(handlers);
    this.#control({ type: frameType.windowUpdate, flags: frameFlag.syn, id: stream.id, length: 0 });
    return stream;
  }

  /** Ends the session as silent if no byte of the peer arrives within a time. For a connection that may have been lost, without waiting for the next pings. */
  verify(timeoutMs: number): void {
    this.#lifeSigns.verify(timeoutMs);
  }

  /** Tells the peer to open no more streams. Open streams go on; the session ends when the last one has ended. */
  goAway(code: GoAwayCode): void {
    if (this.#isEnded || this.#isGoAwaySent) return;
    this.#isGoAwaySent = true;
    this.#control({ type: frameType.goAway, flags: 0, id: 0, length: code });
    this.#endIfDrained();
  }

  /** Ends the session at once: resets all streams and closes the connection after a go-away frame. */
  close(): void {
    if (!this.#isEnded && !this.#isGoAwaySent)
      this.#control({ type: frameType.goAway, flags: 0, id: 0, length: goAwayCode.normal });
    this.#finish({ reason: "closed" });
  }

  readonly #bytes = (chunk: Buffer): void => {
    if (this.#isEnded) return;
    this.#lifeSigns.received();
    try {
      this.#reader.read(chunk);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#fail(error);
    }
  };

  readonly #flushed = (): void => {
    this.#lifeSigns.flushed();
    if (this.#ready.length > 0 && this.#carrier.queuedBytes < this.#limits.queuedBytesLow) this.#pump();
  };

  readonly #closed = (error: Error | undefined): void => {
    this.#closing?.[Symbol.dispose]();
    this.#finish({ reason: "connection", error });
  };

  readonly #frame = (header: FrameHeader): void => {
    if (this.#isEnded) return;
    if (header.type === frameType.ping) return this.#ping(header);
    if (header.type === frameType.goAway) return this.#receiveGoAway(header);
    const stream = (header.flags & frameFlag.syn) === 0 ? this.#find(header.id) : this.#openByPeer(header.id);
    const isEnd = (header.flags & frameFlag.fin) !== 0;
    if (stream !== undefined && (header.flags & frameFlag.ack) !== 0) this.#unaccepted.own.delete(stream);
    this.#receiving = header.type === frameType.data ? stream : undefined;
    this.#isEndAfterData = isEnd;
    stream?.receiveFrame(header);
    if (isEnd && (header.type !== frameType.data || header.length === 0)) stream?.receiveEnd();
  };

  readonly #data = (chunk: Buffer, isLast: boolean): void => {
    const stream = this.#receiving;
    // The stream was reset on this end while data was on its way.
    if (stream === undefined || stream.isClosed || this.#isEnded) return;
    this.#unreadBytes += chunk.length;
    stream.receiveData(chunk);
    if (isLast && this.#isEndAfterData) stream.receiveEnd();
    if (this.#unreadBytes > 2 * this.#limits.unreadBytesMax) this.#resetLargest();
  };

  #find(id: number): MuxStream | undefined {
    const stream = this.#streams.get(id);
    if (stream !== undefined) return stream;
    const isOwn = id % 2 === this.#nextId % 2;
    const isKnown = isOwn ? id !== 0 && id < this.#nextId : this.#peerIds.wasOpened(id);
    if (!isKnown) throw new ProtocolError(`a frame names stream ${id}, which was never opened`);
    // The stream has ended here; the peer did not know that yet.
    return undefined;
  }

  #openByPeer(id: number): MuxStream | undefined {
    this.#peerIds.open(id);
    const { streamsMax, unacceptedMax } = this.#limits;
    if (this.#isGoAwaySent || this.#streams.size >= streamsMax || this.#unaccepted.peer.size >= unacceptedMax) {
      this.#control({ type: frameType.windowUpdate, flags: frameFlag.rst, id, length: 0 });
      return undefined;
    }
    const stream = this.#add(id, { isOpenedByPeer: true });
    this.#unaccepted.peer.add(stream);
    this.#options.onStream(stream);
    return stream;
  }

  #add(id: number, { isOpenedByPeer }: { readonly isOpenedByPeer: boolean }): MuxStream {
    const { windowBytes } = this.#limits;
    const stream = new MuxStream(this.#port, { id, isOpenedByPeer, windowBytes, now: this.#clock.monotonic() });
    this.#streams.set(id, stream);
    return stream;
  }

  #ping({ flags, length }: FrameHeader): void {
    if ((flags & frameFlag.ack) !== 0) this.#lifeSigns.pong(length);
    else this.#control({ type: frameType.ping, flags: frameFlag.ack, id: 0, length });
  }

  #receiveGoAway({ length: code }: FrameHeader): void {
    if (code === goAwayCode.protocolError || code === goAwayCode.internalError)
      return this.#finish({ reason: "go-away", code });
    this.#isGoAwayReceived = true;
    this.#options.onGoAway?.(code);
    this.#endIfDrained();
  }

  #control(frame: FrameHeader): void {
    if (this.#isEnded) return;
    this.#carrier.write(encodeHeader(frame));
    // A peer that sends pings or opens streams and does not read the responses would fill the memory.
    if (this.#carrier.queuedBytes > this.#limits.queuedBytesMax) this.#finish({ reason: "stalled" });
  }

  #schedule(stream: MuxStream): void {
    if (this.#isReady.has(stream)) return;
    this.#isReady.add(stream);
    this.#ready.push(stream);
    this.#pump();
  }

  /** Writes data frames, one per stream and turn, until the carrier has enough. */
  #pump(): void {
    const { frameBytesMax, queuedBytesHigh } = this.#limits;
    while (this.#ready.length > 0 && this.#carrier.queuedBytes < queuedBytesHigh && !this.#isEnded) {
      const turn = this.#ready;
      this.#ready = [];
      for (const [index, stream] of turn.entries()) {
        if (this.#carrier.queuedBytes >= queuedBytesHigh) {
          this.#ready = [...turn.slice(index), ...this.#ready];
          break;
        }
        this.#isReady.delete(stream);
        if (!stream.canSend) continue;
        this.#writeData(stream, frameBytesMax);
        if (stream.canSend) {
          this.#isReady.add(stream);
          this.#ready.push(stream);
        }
        stream.dataSent();
      }
    }
  }

  #writeData(stream: MuxStream, bytesMax: number): void {
    const chunks = stream.takeData(bytesMax);
    let length = 0;
    for (const chunk of chunks) length += chunk.length;
    this.#carrier.write(encodeHeader({ type: frameType.data, flags: 0, id: stream.id, length }));
    for (const chunk of chunks) this.#carrier.write(chunk);
  }

  #windowUpdate(window: ReceiveWindow): number {
    const { windowBytesMax, unreadBytesMax } = this.#limits;
    // Windows grow only while less than half of the limit is unread: a grown window is a promise to store as many bytes.
    const bytesMax = this.#unreadBytes < unreadBytesMax / 2 ? windowBytesMax : window.size;
    return window.update({ now: this.#clock.monotonic(), rttMs: this.#lifeSigns.rttMs, bytesMax });
  }

  #release(stream: MuxStream, bytes: number): boolean {
    const { unreadBytesMax } = this.#limits;
    this.#unreadBytes -= bytes;
    if (this.#unreadBytes > unreadBytesMax && stream.unreadBytes > unreadBytesMax / this.#streams.size) {
      this.#withheld.add(stream);
      return false;
    }
    if (this.#withheld.size > 0 && this.#unreadBytes < unreadBytesMax) {
      const streams = [...this.#withheld];
      this.#withheld.clear();
      for (const each of streams) each.sendWindowUpdate();
    }
    return true;
  }

  #resetLargest(): void {
    let largest: MuxStream | undefined;
    for (const stream of this.#streams.values())
      if (largest === undefined || stream.unreadBytes > largest.unreadBytes) largest = stream;
    largest?.reset();
  }

  #remove(stream: MuxStream): void {
    this.#streams.delete(stream.id);
    this.#isReady.delete(stream);
    this.#withheld.delete(stream);
    this.#unaccepted.own.delete(stream);
    this.#unaccepted.peer.delete(stream);
    this.#unreadBytes -= stream.unreadBytes;
    this.#endIfDrained();
  }

  #endIfDrained(): void {
    if (this.#streams.size > 0 || this.#isEnded) return;
    if (this.#isGoAwaySent) this.#finish({ reason: "closed" });
    else if (this.#isGoAwayReceived) this.#finish({ reason: "go-away", code: goAwayCode.normal });
  }

  #fail(error: ProtocolError): void {
    this.#control({ type: frameType.goAway, flags: 0, id: 0, length: goAwayCode.protocolError });
    this.#finish({ reason: "protocol", error });
  }

  #finish(end: SessionEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#lifeSigns.stop();
    for (const stream of this.#streams.values()) stream.close("session");
    this.#ready = [];
    this.#isReady.clear();
    if (end.reason === "silent" || end.reason === "stalled" || end.reason === "connection") this.#carrier.destroy();
    else {
      this.#carrier.end();
      this.#closing = this.#clock.schedule(this.#limits.closeMs, () => this.#carrier.destroy());
    }
    this.#options.onEnd(end);
  }
}
