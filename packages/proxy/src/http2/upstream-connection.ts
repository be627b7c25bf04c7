import type { Socket } from "node:net";
import type { FieldTable } from "../hpack/field-table.ts";
import { Connection, protocolError, type StreamSide } from "./connection.ts";
import type { EngineContext } from "./engine-context.ts";
import { errorCodes, preface, settingIds, windowMax } from "./protocol.ts";
import type { ProxyStream } from "./proxy-stream.ts";

/** Streams on a connection before the upstream says how many it allows (RFC 9113, 6.5.2 recommends at least 100). */
const streamsMaxInitial = 100;

class UpstreamSide implements StreamSide {
  readonly stream: ProxyStream;

  constructor(stream: ProxyStream) {
    this.stream = stream;
  }

  get incoming(): ProxyStream["response"] {
    return this.stream.response;
  }

  get outgoing(): ProxyStream["request"] {
    return this.stream.request;
  }
}

/** Receives changes of an upstream connection. */
export interface UpstreamOwner {
  /** A stream ended, or the upstream allows more: waiting requests may be sent. */
  hasRoom(connection: UpstreamConnection): void;
  /** The connection takes no more streams. */
  isLeaving(connection: UpstreamConnection): void;
}

/** A connection to an upstream: the proxy is the client. */
export class UpstreamConnection extends Connection {
  readonly target: string;
  isConnected = false;
  /** The upstream supports extended CONNECT (RFC 8441). */
  allowsExtendedConnect = false;
  /** No more streams may be opened. */
  isLeaving = false;
  readonly #context: EngineContext;
  readonly #owner: UpstreamOwner;
  readonly #streams = new Map<number, UpstreamSide>();
  /** Requests that wait for the connection, or extended CONNECTs for its settings. */
  #pending: ProxyStream[] = [];
  #streamsMax = streamsMaxInitial;
  #nextId = 1;
  #idleSinceMs: number;

  constructor(
    socket: Socket,
    context: EngineContext,
    options: { readonly target: string; readonly owner: UpstreamOwner },
  ) {
    super(socket, context, { expectsPreface: false });
    this.#context = context;
    this.target = options.target;
    this.#owner = options.owner;
    this.#idleSinceMs = context.coarseMs;
    this.output.copy(preface, 0, preface.length);
    this.sendSettings([
      [settingIds.headerTableSize, 0],
      [settingIds.enablePush, 0],
      [settingIds.maxHeaderListSize, context.headBytesMax],
    ]);
    const timer = context.clock.schedule(context.limits.connectMs, () => this.destroy());
    socket.once("connect", () => {
      this.isConnected = true;
      timer[Symbol.dispose]();
      this.#sendPending();
    });
    socket.once("close", () => timer[Symbol.dispose]());
  }

  /** Requests on the connection and before it. */
  get load(): number {
    return this.#streams.size + this.#pending.length;
  }

  get streamsMax(): number {
    return this.#streamsMax;
  }

  /** Sends a request, at once or when the connection is established. */
  add(stream: ProxyStream): void {
    if (this.#isReadyFor(stream)) stream.forward(this);
    else this.#pending.push(stream);
  }

  #isReadyFor(stream: ProxyStream): boolean {
    return this.isConnected && (this.hasPeerSettings || !stream.head.isUpgrade);
  }

  #sendPending(): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const stream of pending) this.add(stream);
  }

  /** Removes a request that has not been sent. */
  cancel(stream: ProxyStream): void {
    const index = this.#pending.indexOf(stream);
    if (index !== -1) this.#pending.splice(index, 1);
  }

  /** Opens a stream and returns its id. */
  open(stream: ProxyStream): number {
    const id = this.#nextId;
    this.#nextId += 2;
    this.#streams.set(id, new UpstreamSide(stream));
    if (this.#nextId > windowMax - 2) this.leave();
    return id;
  }

  /** Removes a stream that has ended on both sides. */
  forget(id: number): void {
    if (!this.#streams.delete(id)) return;
    if (this.#streams.size === 0) this.#idleSinceMs = this.#context.coarseMs;
    if (this.isLeaving && this.load === 0) this.close();
    else this.#owner.hasRoom(this);
  }

  /** Resets a stream. */
  reset(id: number, code: number): void {
    if (!this.#streams.has(id)) return;
    this.sendReset(id, code);
    this.forget(id);
  }

  /** Takes no more streams, and closes when the last one has ended. */
  leave(): void {
    if (this.isLeaving) return;
    this.isLeaving = true;
    this.#owner.isLeaving(this);
    if (this.load === 0) this.close();
  }

  checkTime(nowMs: number, elapsedMs: number): void {
    this.guard.elapsed(elapsedMs / 1_000);
    const { limits } = this.#context;
    if (this.load > 0 || nowMs - this.#idleSinceMs < limits.upstreamKeepAliveMs || this.isClosed) return;
    this.sendGoaway(0, errorCodes.noError);
    this.close();
  }

  protected get lastPeerStream(): number {
    return 0;
  }

  protected side(id: number): UpstreamSide | undefined {
    return this.#streams.get(id);
  }

  protected sides(): Iterable<UpstreamSide> {
    return this.#streams.values();
  }

  protected isIdle(id: number): boolean {
    return id >= this.#nextId || id % 2 === 0;
  }

  protected closedStream(): void {
    // The stream was reset or is complete; the upstream did not know yet.
    this.guard.control();
  }

  protected streamHeaders(id: number, isEnd: boolean, table: FieldTable): void {
    const side = this.#streams.get(id);
    if (side === undefined) {
      if (this.isIdle(id)) throw protocolError("HEADERS are for an idle stream");
      return this.closedStream();
    }
    if (side.incoming.isEnded) return this.streamError(id);
    side.stream.responseHeaders(table, isEnd);
  }

  protected streamData(id: number, bytes: Buffer, start: number, end: number, isEnd: boolean, padding: number): void {
    this.#streams.get(id)?.stream.responseData(bytes, start, end, isEnd, padding);
  }

  protected streamReset(id: number, code: number): void {
    const side = this.#streams.get(id);
    if (side === undefined) return;
    this.forget(id);
    side.stream.upstreamReset(code);
  }

  protected streamError(id: number): void {
    this.#streams.get(id)?.stream.invalidResponse();
  }

  protected goaway(lastStreamId: number): void {
    this.leave();
    // The upstream has not processed these and will not.
    for (const [id, { stream }] of this.#streams) {
      if (id <= lastStreamId) continue;
      this.#streams.delete(id);
      stream.upstreamGone("refused");
    }
    const pending = this.#pending;
    this.#pending = [];
    for (const stream of pending) stream.upstreamGone("refused");
    if (this.load === 0) this.close();
  }

  protected setting(id: number, value: number): void {
    if (id === settingIds.maxConcurrentStreams) this.#streamsMax = value;
    else if (id === settingIds.enableConnectProtocol) this.allowsExtendedConnect = value === 1;
  }

  protected settingsChanged(): void {
    this.#sendPending();
    this.#owner.hasRoom(this);
  }

  protected pingAcknowledged(): void {
    // The proxy sends no pings to upstreams.
  }

  protected closed(): void {
    const wasConnected = this.isConnected;
    this.isLeaving = true;
    this.#owner.isLeaving(this);
    const streams = [...this.#streams.values()];
    const pending = this.#pending;
    this.#streams.clear();
    this.#pending = [];
    for (const { stream } of streams) stream.upstreamGone("lost");
    for (const stream of pending) stream.upstreamGone(wasConnected ? "refused" : "connect-failed");
  }
}
