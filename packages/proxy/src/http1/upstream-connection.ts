import type { OnReadOpts, Socket } from "node:net";
import type { Clock, Timer } from "@homeostat/core";
import type { ProxyLimits } from "../limits/limits.ts";
import { BodyReader } from "./body-reader.ts";
import { collected, HeadCollector } from "./head-collector.ts";
import { framing } from "./message-framing.ts";
import { ResponseHead } from "./response-head.ts";
import { ReadBuffers } from "../upstream/read-buffers.ts";

/** Reason for which an upstream connection failed before the end of a response. */
export type UpstreamFailure = "connect-failed" | "connect-timeout" | "broken" | "invalid";

/** Receives the response to a request on an upstream connection. */
export interface ResponseReceiver {
  /** The connection is open: the request can be sent. Not called for a connection that was idle. */
  upstreamConnected(): void;
  /** The socket accepts more bytes after `write` returned false. */
  upstreamDrained(): void;
  /** A response 1xx other than 101. More responses follow. */
  interimResponse(head: ResponseHead): void;
  /** Response 101. The receiver takes the socket over; `rest` are bytes of the new protocol. */
  switchedProtocols(head: ResponseHead, rest: Buffer): void;
  /** The head of the response, with the bytes of the body that arrived with it; `isComplete` if these are all. */
  responseHead(head: ResponseHead, body: Buffer, isComplete: boolean): void;
  responseBody(chunk: Buffer): void;
  /** True if bytes of the response were passed to the socket of the client, and it has not sent them yet. */
  readonly hasUnsentBytes: boolean;
  /** The response is complete. The receiver calls `finish`. */
  responseEnd(): void;
  /** The connection failed. It is closed, and no further call follows. */
  upstreamFailed(failure: UpstreamFailure): void;
}

/** Owner of connections. */
export interface ConnectionPool {
  put(connection: UpstreamConnection): void;
  remove(connection: UpstreamConnection): void;
}

/** Dependencies of an {@link UpstreamConnection}. */
export interface UpstreamConnectionOptions {
  readonly pool: ConnectionPool;
  readonly open: (onread: OnReadOpts) => Socket;
  /** True if the socket is one with TLS: it is open when its handshake is complete and the certificate is verified. */
  readonly isTls: boolean;
  readonly clock: Clock;
  readonly limits: Pick<ProxyLimits, "connectMs" | "tlsHandshakeMs" | "headBytesMax" | "headersMax">;
}

/** Interim responses per request; a server that sends more is broken. */
const interimMax = 32;
const noBytes = Buffer.alloc(0);

/** A connection to an upstream, which serves one request after the other. */
export class UpstreamConnection {
  idleSince = 0;
  isConnected = false;
  /** True if a byte of the response to the current request has arrived. */
  hasAnswer = false;
  readonly #options: UpstreamConnectionOptions;
  readonly #socket: Socket;
  readonly #collector: HeadCollector;
  readonly #reads = new ReadBuffers();
  readonly #head = new ResponseHead();
  readonly #body = new BodyReader();
  #receiver: ResponseReceiver | undefined;
  #method = "";
  #isDecoded = false;
  #isInBody = false;
  #isPaused = false;
  #hasExtraBytes = false;
  #isDetached = false;
  #interim = 0;
  #connectTimer: Timer | undefined;

  constructor(options: UpstreamConnectionOptions) {
    const { clock, limits, isTls } = options;
    this.#options = options;
    const socket = options.open({ buffer: () => this.#reads.current, callback: this.#onRead });
    this.#socket = socket;
    this.#collector = new HeadCollector(limits.headBytesMax);
    const connectMs = limits.connectMs + (isTls ? limits.tlsHandshakeMs : 0);
    this.#connectTimer = clock.schedule(connectMs, () => this.#fail("connect-timeout"));
    socket.once(isTls ? "secureConnect" : "connect", this.#onConnect);
    socket.on("data", this.#onData);
    socket.on("drain", this.#onDrain);
    socket.on("end", this.#onEnd);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
  }

  /** True if the body of the response ends with the connection. */
  get isUntilClose(): boolean {
    return this.#body.framing === framing.untilClose;
  }

  /** Assigns the connection to a request. With `isDecoded`, the receiver gets the data of a chunked response without framing. */
  start(receiver: ResponseReceiver, method: string, isDecoded: boolean): void {
    this.#receiver = receiver;
    this.#method = method;
    this.#isDecoded = isDecoded;
    this.#isInBody = false;
    this.#interim = 0;
    this.hasAnswer = false;
  }

  /** Sends bytes. Returns false if the socket is full until `upstreamDrained`. */
  write(text: string, body: readonly Buffer[]): boolean {
    const socket = this.#socket;
    if (body.length === 0) return socket.write(text, "latin1");
    socket.cork();
    let isWritable = text === "" || socket.write(text, "latin1");
    for (const chunk of body) isWritable = socket.write(chunk);
    socket.uncork();
    return isWritable;
  }

  writeChunk(chunk: Buffer): boolean {
    return this.#socket.write(chunk);
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  /** Continues to read, when the receiver has sent all bytes. */
  resume(): void {
    this.#reads.sent();
    this.#continue();
  }

  #continue(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** Ends the use for a request whose response is complete. The connection is kept if `isReusable` and the response allow it. */
  finish(isReusable: boolean): void {
    this.#receiver = undefined;
    this.#continue();
    if (!isReusable || this.#head.isLast || this.isUntilClose || this.#hasExtraBytes || !this.isConnected)
      this.destroy();
    else this.#options.pool.put(this);
  }

  /** Closes the connection. The receiver is not called any more. */
  destroy(): void {
    this.#receiver = undefined;
    this.#connectTimer?.[Symbol.dispose]();
    this.#options.pool.remove(this);
    this.#socket.destroy();
  }

  /** Gives the socket away after 101. */
  detach(): Socket {
    const socket = this.#socket;
    this.#receiver = undefined;
    this.#isDetached = true;
    this.#continue();
    socket.off("data", this.#onData);
    socket.off("drain", this.#onDrain);
    socket.off("end", this.#onEnd);
    socket.off("error", this.#onError);
    socket.off("close", this.#onClose);
    this.#options.pool.remove(this);
    return socket;
  }

  readonly #onConnect = (): void => {
    this.#connectTimer?.[Symbol.dispose]();
    this.#connectTimer = undefined;
    this.isConnected = true;
    this.#receiver?.upstreamConnected();
  };

  /** Handles bytes in a buffer that is used again after the call. */
  readonly #onRead = (count: number): boolean => {
    const receiver = this.#receiver;
    const bytes = this.#reads.current.subarray(0, count);
    if (this.#isDetached) {
      this.#socket.emit("data", Buffer.from(bytes));
      return true;
    }
    this.#onData(bytes);
    const isLent = receiver?.hasUnsentBytes === true;
    this.#reads.advance({ count, isLent, isDone: this.#receiver !== receiver || receiver === undefined });
    return true;
  };

  readonly #onData = (chunk: Buffer): void => {
    const receiver = this.#receiver;
    // Bytes without a request: the peer does not speak HTTP/1.1 properly, and its next response could be an old one.
    if (receiver === undefined) return this.destroy();
    this.hasAnswer = true;
    if (this.#isInBody) this.#readBody(receiver, chunk, 0);
    else this.#readHead(receiver, chunk);
  };

  #readHead(receiver: ResponseReceiver, chunk: Buffer): void {
    const { headersMax } = this.#options.limits;
    const head = this.#head;
    let from = 0;
    while (from < chunk.length || from === 0) {
      from = this.#collector.push(chunk, from);
      if (from === collected.incomplete) return;
      if (from < 0 || !head.parse(this.#collector.text, headersMax)) return this.#fail("invalid");
      if (head.status >= 200) return this.#begin(receiver, chunk, from);
      if (head.status === 101) return receiver.switchedProtocols(head, Buffer.from(chunk.subarray(from)));
      if (++this.#interim > interimMax) return this.#fail("invalid");
      receiver.interimResponse(head);
      if (this.#receiver !== receiver) return;
    }
  }

  #begin(receiver: ResponseReceiver, chunk: Buffer, from: number): void {
    const body = this.#body;
    body.begin(this.#head.framingFor(this.#method), this.#head.contentLength);
    this.#isInBody = true;
    if (this.#isDecoded && body.framing === framing.chunked) {
      receiver.responseHead(this.#head, noBytes, false);
      return this.#readBody(receiver, chunk, from);
    }
    const taken = body.consume(chunk, from);
    if (body.isMalformed) return this.#fail("invalid");
    const bytes = taken === 0 ? noBytes : chunk.subarray(from, from + taken);
    receiver.responseHead(this.#head, bytes, body.isDone);
    this.#endIfDone(receiver, from + taken < chunk.length);
  }

  #readBody(receiver: ResponseReceiver, chunk: Buffer, from: number): void {
    const body = this.#body;
    let taken: number;
    if (this.#isDecoded && body.framing === framing.chunked) {
      taken = body.consume(chunk, from, (data) => receiver.responseBody(data));
      if (body.isMalformed) return this.#fail("invalid");
    } else {
      taken = body.consume(chunk, from);
      if (body.isMalformed) return this.#fail("invalid");
      if (taken > 0)
        receiver.responseBody(from === 0 && taken === chunk.length ? chunk : chunk.subarray(from, from + taken));
    }
    this.#endIfDone(receiver, from + taken < chunk.length);
  }

  #endIfDone(receiver: ResponseReceiver, hasExtraBytes: boolean): void {
    if (!this.#body.isDone || this.#receiver !== receiver) return;
    this.#hasExtraBytes = hasExtraBytes;
    receiver.responseEnd();
  }

  readonly #onDrain = (): void => this.#receiver?.upstreamDrained();

  readonly #onEnd = (): void => {
    const receiver = this.#receiver;
    if (receiver === undefined) this.destroy();
    else if (this.#isInBody && this.isUntilClose) receiver.responseEnd();
    else this.#fail("broken");
  };

  readonly #onError = (): void => this.#fail(this.isConnected ? "broken" : "connect-failed");

  readonly #onClose = (): void => this.#fail(this.isConnected ? "broken" : "connect-failed");

  #fail(failure: UpstreamFailure): void {
    const receiver = this.#receiver;
    this.destroy();
    receiver?.upstreamFailed(failure);
  }
}
