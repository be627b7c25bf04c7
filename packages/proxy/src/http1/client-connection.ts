import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Timed } from "../limits/deadlines.ts";
import { keepBytes, takeReads } from "../listener/direct-reads.ts";
import type { AcceptedConnection } from "../listener/engine.ts";
import type { Router } from "../router/route-plan.ts";
import { Tunnel } from "../upstream/tunnel.ts";
import { BodyReader } from "./body-reader.ts";
import { Exchange, type ExchangeClient } from "./exchange.ts";
import { collected, HeadCollector } from "./head-collector.ts";
import { framing } from "./message-framing.ts";
import { ownResponse } from "./own-response.ts";
import { RequestHead, type RequestProblem, requestProblems } from "./request-head.ts";
import type { Services } from "./services.ts";
import type { UpstreamConnection } from "./upstream-connection.ts";

// States of a connection.
/** Waits for a request, or reads its head. */
const reading = 0;
/** Serves a request. */
const busy = 1;
/** Has sent its last response, and discards what the client still sends: a reset could destroy the response on its way. */
const closing = 2;
const tunneling = 3;
const closed = 4;

// Reasons to stop reading from the socket.
const bodyPaused = 1;
const stashFull = 2;

/** Bytes of further requests that are read before the current one is answered. */
const stashBytesMax = 65_536;
/** Time in which the client must close its side after the last response. */
const lingerMs = 2_000;

/** Owner of client connections. */
export interface ClientConnections {
  removed(connection: ClientConnection): void;
}

/** Reads the requests of a client and serves them one after the other, also if the client sends them at once. */
export class ClientConnection implements ExchangeClient, Timed {
  readonly head: RequestHead;
  readonly router: Router;
  deadline: number;
  readonly #socket: Socket;
  readonly #services: Services;
  readonly #owner: ClientConnections;
  readonly #collector: HeadCollector;
  readonly #body = new BodyReader();
  readonly #exchange: Exchange;
  #state = reading;
  #stash: Buffer | undefined;
  #isServing = false;
  #pauses = 0;
  #idleMs = 0;
  #isActive = false;
  #tunnel: Tunnel | undefined;

  constructor(accepted: AcceptedConnection, services: Services, owner: ClientConnections) {
    const { router, scheme } = accepted;
    const socket = takeReads(accepted.socket, { receive: (bytes) => this.#receiveShared(bytes) }) ?? accepted.socket;
    this.#socket = socket;
    this.#services = services;
    this.#owner = owner;
    this.router = router;
    this.head = new RequestHead(scheme, plainAddress(socket.remoteAddress));
    this.#collector = new HeadCollector(services.limits.headBytesMax);
    this.#exchange = new Exchange(this, services);
    this.deadline = services.deadlines.clock.monotonic() + services.limits.requestHeadMs;
    services.deadlines.add(this);
    socket.on("data", this.#onData);
    socket.on("drain", this.#onDrain);
    socket.on("end", this.#onEnd);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
  }

  get isRequestDone(): boolean {
    return this.#body.isDone;
  }

  get hasUnsentBytes(): boolean {
    return this.#socket.writableLength > 0;
  }

  /** Handles bytes that were read from the socket. They may be in the shared buffer: what is used after the call is copied by `keepBytes`. */
  receive(chunk: Buffer): void {
    this.#isActive = true;
    switch (this.#state) {
      case reading:
        this.#stash = chunk;
        return this.#serve();
      case busy:
        return this.#readBody(chunk);
      default:
    }
  }

  write(text: string, body: Buffer | undefined): boolean {
    const socket = this.#socket;
    this.#isActive = true;
    if (body === undefined) return socket.write(text, "latin1");
    if (text === "") return socket.write(body);
    socket.cork();
    socket.write(text, "latin1");
    const isWritable = socket.write(body);
    socket.uncork();
    return isWritable;
  }

  setBodyPaused(isPaused: boolean): void {
    this.#setPause(bodyPaused, isPaused);
  }

  limitTime(ms: number, kind: "total" | "idle", now: number = this.#services.deadlines.clock.monotonic()): void {
    this.#idleMs = kind === "idle" ? ms : 0;
    this.deadline = now + ms;
  }

  exchangeEnded(isLast: boolean, now: number): void {
    if (this.#state !== busy) return;
    if (isLast || this.#services.isDraining) return this.#close(now);
    this.#state = reading;
    this.#setPause(bodyPaused, false);
    this.limitTime(this.#services.limits.clientKeepAliveMs, "total", now);
    this.#serve();
  }

  reset(): void {
    // A TLS socket cannot send RST. Its client misses close_notify instead, and so notices that the response is incomplete.
    if (this.#socket instanceof TLSSocket) this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }

  startTunnel(upstream: UpstreamConnection, rest: Buffer, onClosed: () => void): void {
    const socket = this.#socket;
    const { deadlines, limits } = this.#services;
    this.#state = tunneling;
    this.#pauses = 0;
    deadlines.remove(this);
    socket.off("data", this.#onData);
    socket.off("drain", this.#onDrain);
    socket.off("end", this.#onEnd);
    socket.off("error", this.#onError);
    const other = upstream.detach();
    if (rest.length > 0) socket.write(rest);
    if (this.#stash !== undefined) other.write(this.#stash);
    this.#stash = undefined;
    this.#tunnel = new Tunnel({
      client: socket,
      upstream: other,
      deadlines,
      idleMs: limits.longStreamIdleMs,
      onClosed,
    });
  }

  /** Closes the connection as soon as no request is running. Upgraded connections stay open. */
  drain(): void {
    if (this.#state === reading && !this.#collector.hasBytes) this.#close(this.#services.deadlines.clock.monotonic());
  }

  /** Closes the connection at once. */
  destroy(): void {
    this.#tunnel?.close();
    this.#socket.destroy();
  }

  expire(now: number): void {
    if (this.#idleMs > 0 && this.#isActive) {
      this.#isActive = false;
      this.deadline = now + this.#idleMs;
    } else if (this.#state === busy) this.#exchange.expire();
    else if (this.#state === reading && this.#collector.hasBytes) {
      this.#services.observer.failed("timeout", undefined);
      this.#refuse({ status: 408, text: "The request did not arrive in time." });
    } else this.#socket.destroy();
  }

  readonly #onData = (chunk: Buffer): void => this.receive(chunk);

  #receiveShared(bytes: Buffer): void {
    if (this.#state === tunneling) this.#socket.emit("data", Buffer.from(bytes));
    else this.receive(bytes);
  }

  /** Serves the requests in the stash. A loop, because a recursion would be as deep as the number of requests. */
  #serve(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    while (this.#stash !== undefined && this.#state === reading) {
      const chunk = this.#stash;
      this.#stash = undefined;
      this.#setPause(stashFull, false);
      this.#readHead(chunk);
    }
    this.#isServing = false;
  }

  #readHead(chunk: Buffer): void {
    const { limits, observer } = this.#services;
    const isFirst = !this.#collector.hasBytes;
    const end = this.#collector.push(chunk, 0);
    if (end === collected.incomplete) {
      if (isFirst) this.limitTime(limits.requestHeadMs, "total");
      return;
    }
    if (end < 0) {
      observer.failed(end === collected.tooLarge ? "head_too_large" : "bad_request", undefined);
      return this.#refuse(end === collected.tooLarge ? requestProblems.tooLarge : requestProblems.line);
    }
    const { head } = this;
    const problem = head.parse(this.#collector.text, limits.headersMax);
    if (problem !== undefined) {
      observer.failed(problem.status === 431 ? "head_too_large" : "bad_request", undefined);
      return this.#refuse(problem);
    }
    this.#begin(chunk, end);
  }

  #begin(chunk: Buffer, from: number): void {
    const { head } = this;
    const body = this.#body;
    if (head.isChunked) body.begin(framing.chunked, 0);
    else body.begin(head.contentLength > 0 ? framing.length : framing.none, head.contentLength);
    const taken = from < chunk.length ? body.consume(chunk, from) : 0;
    if (body.isMalformed) {
      this.#services.observer.failed("bad_request", undefined);
      return this.#refuse(requestProblems.body);
    }
    this.#state = busy;
    if (from + taken < chunk.length) this.#addToStash(chunk.subarray(from + taken));
    this.#exchange.begin(taken === 0 ? undefined : keepBytes(chunk.subarray(from, from + taken)));
  }

  #readBody(chunk: Buffer): void {
    const body = this.#body;
    const taken = body.consume(chunk, 0);
    if (body.isMalformed)
      return this.#exchange.requestMalformed(requestProblems.body.status, requestProblems.body.text);
    if (taken < chunk.length) this.#addToStash(taken === 0 ? chunk : chunk.subarray(taken));
    if (taken > 0) this.#exchange.requestBody(keepBytes(taken === chunk.length ? chunk : chunk.subarray(0, taken)));
  }

  #addToStash(chunk: Buffer): void {
    this.#stash = this.#stash === undefined ? keepBytes(chunk) : Buffer.concat([this.#stash, chunk]);
    if (this.#stash.length >= stashBytesMax) this.#setPause(stashFull, true);
  }

  #setPause(reason: number, isPaused: boolean): void {
    const before = this.#pauses;
    this.#pauses = isPaused ? before | reason : before & ~reason;
    if (before === 0 && this.#pauses !== 0) this.#socket.pause();
    else if (before !== 0 && this.#pauses === 0) this.#socket.resume();
  }

  #refuse({ status, text }: RequestProblem): void {
    this.write(ownResponse({ status, body: `${text}\n`, isLast: true }), undefined);
    this.#close(this.#services.deadlines.clock.monotonic());
  }

  #close(now: number): void {
    this.#state = closing;
    this.#stash = undefined;
    if (this.#pauses !== 0) {
      this.#pauses = 0;
      this.#socket.resume();
    }
    this.limitTime(lingerMs, "total", now);
    this.#socket.end();
  }

  readonly #onDrain = (): void => {
    this.#isActive = true;
    this.#exchange.clientDrained();
  };

  readonly #onEnd = (): void => {
    // A client that closes its side while it waits has left, for all that can be known. Keeping its request would hold the upstream.
    if (this.#state === reading) this.#socket.end();
    else if (this.#state === busy) this.#socket.destroy();
  };

  readonly #onError = (): void => undefined;

  readonly #onClose = (): void => {
    this.#services.deadlines.remove(this);
    if (this.#state === busy) this.#exchange.clientGone();
    this.#state = closed;
    this.#owner.removed(this);
  };
}

/** Returns an IPv4 address of a dual-stack socket in its usual form. */
function plainAddress(address: string | undefined): string | undefined {
  return address?.startsWith("::ffff:") === true && address.includes(".") ? address.slice(7) : address;
}
