import type { Socket } from "node:net";
import type { FieldTable } from "../hpack/field-table.ts";
import type { ClientShare } from "../limits/client-share.ts";
import type { Router } from "../router/route-plan.ts";
import { Connection, protocolError, type StreamSide } from "./connection.ts";
import type { EngineContext } from "./engine-context.ts";
import { encodeFields } from "../hpack/literal-writer.ts";
import { plainErrorFields, proxyErrors } from "./error-responses.ts";
import { ConnectionFault, errorCodes, settingIds, windowMax } from "./protocol.ts";
import { ProxyStream } from "./proxy-stream.ts";
import { type ClientFacts, readRequestHead } from "./request-head.ts";

/** Streams that a client may have open at the same time. */
export const clientStreamsMax = 256;
/** Time for a peer to receive GOAWAY before later streams are refused. */
const goawayMs = 1_000;

class ClientSide implements StreamSide {
  readonly stream: ProxyStream;

  constructor(stream: ProxyStream) {
    this.stream = stream;
  }

  get incoming(): ProxyStream["request"] {
    return this.stream.request;
  }

  get outgoing(): ProxyStream["response"] {
    return this.stream.response;
  }
}

/** Options of a connection of a client. */
export interface ClientOptions {
  readonly router: Router;
  readonly client: ClientFacts;
  readonly onClose: () => void;
}

/** A connection of a client: the proxy is the server. */
export class ClientConnection extends Connection {
  /** Waiting requests of this connection. */
  readonly share: ClientShare = { pending: 0, held: 0 };
  readonly #context: EngineContext;
  readonly #options: ClientOptions;
  readonly #streams = new Map<number, ClientSide>();
  #lastId = 0;
  /** Streams above this id are refused: GOAWAY has announced that they will not be processed. */
  #acceptedMax: number = windowMax;
  #isDraining = false;
  #drainAtMs = 0;
  /** Begin of the current wait: for the preface, the end of a head, or the next request. */
  #waitingSinceMs: number;
  #wasInsideHead = true;

  constructor(socket: Socket, context: EngineContext, options: ClientOptions) {
    super(socket, context, { expectsPreface: true });
    this.#context = context;
    this.#options = options;
    this.#waitingSinceMs = context.coarseMs;
    this.sendSettings([
      [settingIds.headerTableSize, 0],
      [settingIds.maxConcurrentStreams, clientStreamsMax],
      [settingIds.maxHeaderListSize, context.headBytesMax],
      [settingIds.enableConnectProtocol, 1],
    ]);
  }

  get streamCount(): number {
    return this.#streams.size;
  }

  /** Removes a stream that has ended. */
  forget(id: number, { isComplete }: { readonly isComplete: boolean }): void {
    if (!this.#streams.delete(id)) return;
    if (isComplete) this.guard.completed();
    if (this.#streams.size > 0) return;
    this.#waitingSinceMs = this.#context.coarseMs;
    if (this.#isDraining && this.#acceptedMax !== windowMax) this.close();
  }

  /** Announces the end of the connection. Running requests finish. */
  drain(): void {
    if (this.#isDraining || this.isClosed) return;
    this.#isDraining = true;
    this.#drainAtMs = this.#context.clock.monotonic() + goawayMs;
    // Requests that are on their way are still accepted, until the client has certainly read this.
    this.sendGoaway(windowMax, errorCodes.noError);
    this.sendPing();
  }

  /** Checks time limits. */
  checkTime(nowMs: number, elapsedMs: number): void {
    this.guard.elapsed(elapsedMs / 1_000);
    if (this.#isDraining && this.#acceptedMax === windowMax && nowMs >= this.#drainAtMs) this.#finishDrain();
    if (this.isClosed) return;
    const { limits, observer } = this.#context;
    const isInsideHead = this.awaitsPreface || !this.hasPeerSettings || this.isInsideHead;
    if (isInsideHead !== this.#wasInsideHead) {
      this.#wasInsideHead = isInsideHead;
      this.#waitingSinceMs = nowMs;
    }
    const waitedMs = nowMs - this.#waitingSinceMs;
    if (isInsideHead && waitedMs >= limits.requestHeadMs) {
      observer.failed("timeout", undefined);
      return this.fail(errorCodes.enhanceYourCalm, "a request head takes too long");
    }
    if (this.#streams.size === 0 && waitedMs >= limits.clientKeepAliveMs) return this.fail(errorCodes.noError, "");
    for (const { stream } of this.#streams.values()) stream.checkTime(nowMs);
  }

  #finishDrain(): void {
    this.#acceptedMax = this.#lastId;
    this.sendGoaway(this.#lastId, errorCodes.noError);
    if (this.#streams.size === 0) this.close();
  }

  protected get lastPeerStream(): number {
    return this.#lastId;
  }

  protected side(id: number): ClientSide | undefined {
    return this.#streams.get(id);
  }

  protected sides(): Iterable<ClientSide> {
    return this.#streams.values();
  }

  protected isIdle(id: number): boolean {
    return id > this.#lastId || id % 2 === 0;
  }

  protected closedStream(id: number): void {
    if (!this.wasReset(id)) throw new ConnectionFault(errorCodes.streamClosed, "a frame is for a closed stream");
    this.guard.control();
  }

  protected streamHeaders(id: number, isEnd: boolean, table: FieldTable): void {
    const known = this.#streams.get(id);
    if (known !== undefined) {
      const { stream } = known;
      if (stream.request.isEnded) return this.streamError(id, errorCodes.streamClosed);
      if (!isEnd) return this.streamError(id, errorCodes.protocolError);
      return stream.requestTrailers(table);
    }
    if (id % 2 === 0) throw protocolError("a client opened a stream with an even id");
    if (id <= this.#lastId) return this.closedStream(id);
    // Ignored, as the final GOAWAY said. The header block was processed, which keeps the tables equal.
    if (id > this.#acceptedMax) return;
    this.#lastId = id;
    this.#open(id, isEnd, table);
  }

  #open(id: number, isEnd: boolean, table: FieldTable): void {
    if (this.#streams.size >= clientStreamsMax) {
      this.guard.reset();
      this.sendReset(id, errorCodes.refusedStream);
      return;
    }
    const { observer } = this.#context;
    if (table.isTooLarge) {
      observer.failed("head_too_large", undefined);
      this.guard.reset();
      return this.#refuse(id, isEnd);
    }
    const head = readRequestHead(table, this.#options.client, { isEnd });
    if (typeof head === "string") {
      observer.failed("bad_request", undefined);
      this.guard.reset();
      this.sendReset(id, errorCodes.protocolError);
      return;
    }
    const stream = new ProxyStream(this.#context, this, id, head);
    stream.request.isEnded = isEnd;
    this.#streams.set(id, new ClientSide(stream));
    if (head.method === "CONNECT" && !head.isUpgrade) stream.fail("connect_method");
    else stream.start(table, this.#options.router.route(head));
  }

  /** Responds to a head that is too large to be read. */
  #refuse(id: number, isEnd: boolean): void {
    const { status, body } = proxyErrors.head_too_large;
    const block = encodeFields(
      plainErrorFields(status, "", [["content-type", "text/plain"]]).concat([["x-error", body.trim()]]),
    );
    this.sendHeaders(id, block, 0, block.length, true);
    if (!isEnd) this.sendReset(id, errorCodes.noError);
  }

  protected streamData(id: number, bytes: Buffer, start: number, end: number, isEnd: boolean, padding: number): void {
    this.#streams.get(id)?.stream.requestData(bytes, start, end, isEnd, padding);
  }

  protected streamReset(id: number, code: number): void {
    const side = this.#streams.get(id);
    if (side === undefined) return this.guard.control();
    this.guard.reset();
    side.stream.clientGone(code);
  }

  protected streamError(id: number, code: number): void {
    const side = this.#streams.get(id);
    if (side === undefined) this.sendReset(id, code);
    else side.stream.malformed(code);
  }

  protected goaway(): void {
    // The client opens no more streams; those that are open finish.
    this.#isDraining = true;
    this.#acceptedMax = this.#lastId;
    if (this.#streams.size === 0) this.close();
  }

  protected setting(id: number, value: number): void {
    if (id === settingIds.enableConnectProtocol && value > 1) throw protocolError("a setting is invalid");
  }

  protected settingsChanged(): void {
    // Windows are already adjusted.
  }

  protected pingAcknowledged(): void {
    if (this.#isDraining && this.#acceptedMax === windowMax) this.#finishDrain();
  }

  protected closed(): void {
    for (const { stream } of this.#streams.values()) stream.clientGone(errorCodes.cancel);
    this.#streams.clear();
    this.#options.onClose();
  }
}
