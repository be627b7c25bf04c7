import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Http2Server, ServerHttp2Session } from "node:http2";
import { createServer, type Server } from "node:https";
import type { Socket } from "node:net";
import { DEFAULT_CIPHERS, type TLSSocket } from "node:tls";
import { ArgumentError, type Clock, once as madeOnce, type Random, systemClock, systemRandom } from "@homeostat/core";
import { checkPair, type KeyPair, normalHost } from "@homeostat/x509";
import { DateHeader } from "./date-header.ts";
import { beginExchange, type Exchange, type ExchangeSettings } from "./exchange.ts";
import { Faults } from "./faults.ts";
import type { Handler, ServerRequest } from "./handler.ts";
import { isLoopback } from "./host-check.ts";
import { http2Module } from "./node-http2.ts";
import type { HttpObserver } from "./observer.ts";
import { endWith, nothingThere, refuseBytes } from "./raw-refusal.ts";
import { breakOff, headerCountMax, type Wire, wireHttp1, wireHttp2 } from "./wire.ts";
import { writeAnswer } from "./write-answer.ts";

/** Options of an {@link HttpServer}. */
export interface HttpServerOptions {
  readonly handler: Handler;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly observer?: HttpObserver;
  /** Faults on demand. */
  readonly faults?: Faults;
  /** Names and addresses beside those of this machine that requests may ask for. */
  readonly hosts?: readonly string[];
  /** The largest body in bytes. Default 3 MiB, as the real server. */
  readonly bodyBytesMax?: number;
  /** The longest that a request may take which is no watch or stream, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number;
}

/** Where and with what a server listens. */
export interface ListenOptions {
  /** The server's own certificate. */
  readonly certificate: KeyPair;
  /** PEM of the authorities that may vouch for certificates of clients. None: no client is asked for one. */
  readonly clientAuthorities?: string;
  /** Default 0: one is chosen. */
  readonly port?: number;
  /** Default 127.0.0.1. Anything but this machine needs `isOpenToNetwork`. */
  readonly host?: string;
  /** Says that others than this machine may connect, and that this is meant. */
  readonly isOpenToNetwork?: boolean;
}

const minVersion = "TLSv1.2";
/** The shorter key first, as Go's server has it: every event is encrypted for each of its watchers. */
const ciphers = `TLS_AES_128_GCM_SHA256:${DEFAULT_CIPHERS}`;
const headerBytesMax = 1024 * 1024;
/** A client has this long for its handshake, its headers, or the first request of a connection. */
const firstBytesMs = 10_000;
/** And this long for all of a request: Node measures it, by the time of the machine. */
const wholeRequestMs = 60_000;
const idleMs = 120_000;
const streamsPerConnectionMax = 250;

/**
 * The front of an API server: HTTPS on this machine, in front of a {@link Handler}.
 *
 * Speaks HTTP/1.1 and HTTP/2, whichever the client prefers. kubectl and client-go prefer HTTP/2, and then keep all their
 * watches on one connection.
 *
 * @example
 * const server = new HttpServer({ handler });
 * const { port } = await server.listen({ certificate });
 * await server.stop();
 */
export class HttpServer {
  /** Faults on demand, for tests. */
  readonly faults: Faults;
  readonly #settings: ExchangeSettings;
  readonly #date: DateHeader;
  readonly #running = new Map<Exchange, () => void>();
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  #server: Server | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: HttpServerOptions) {
    const { handler, clock = systemClock, random = systemRandom, observer = {}, hosts = [] } = options;
    const { bodyBytesMax = 3 * 1024 * 1024, timeoutMs = 60_000, faults = new Faults() } = options;
    this.faults = faults;
    this.#date = new DateHeader(clock);
    const names = new Set(hosts.map(normalHost));
    this.#settings = { handler, clock, random, observer, faults, hosts: names, bodyBytesMax, timeoutMs };
  }

  /**
   * Begins to serve and returns where.
   *
   * Throws an `ArgumentError` for a host that is not this machine without `isOpenToNetwork`, and a `CertificateError` for a
   * certificate and key that do not belong together. Rejects with the error of the system when the port is taken.
   */
  async listen(options: ListenOptions): Promise<{ host: string; port: number }> {
    const { certificate, clientAuthorities: ca, port = 0, host = "127.0.0.1", isOpenToNetwork = false } = options;
    if (this.#server !== undefined) throw new ArgumentError({ argument: "server", problem: "listens already." });
    if (!isOpenToNetwork && !isLoopback(host)) {
      const problem = `is ${host}, which other machines can reach; say isOpenToNetwork if that is meant.`;
      throw new ArgumentError({ argument: "host", problem });
    }
    checkPair(certificate);
    const server = createServer({
      ...certificate,
      ...(ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: false }),
      minVersion,
      ciphers,
      ALPNProtocols: ["h2", "http/1.1"],
      handshakeTimeout: firstBytesMs,
      headersTimeout: firstBytesMs,
      requestTimeout: wholeRequestMs,
      keepAliveTimeout: idleMs,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: headerBytesMax,
      // It is asked for, in the words of Go, where requests are taken.
      requireHostHeader: false,
      noDelay: true,
    });
    server.maxHeadersCount = headerCountMax;
    this.#server = server;
    // A module of its own in Node, which only clients that ask for it wait for.
    this.#attach(
      server,
      madeOnce(() => this.#http2()),
    );
    server.listen(port, host);
    try {
      await once(server, "listening");
    } catch (error) {
      this.#server = undefined;
      throw error;
    }
    // Such as too many open files: a connection is lost, but not the server.
    server.on("error", (error) => this.#settings.observer.refused?.(error.message));
    const address = server.address();
    return { host, port: typeof address === "object" && address !== null ? address.port : port };
  }

  /** How many requests are being answered, watches among them. */
  get runningCount(): number {
    return this.#running.size;
  }

  /** Cuts the connections of running requests that match, and returns how many: watches break as by a failing network. */
  cut(match: (request: ServerRequest) => boolean): number {
    const found = [...this.#running].filter(([{ request }]) => request !== undefined && match(request));
    for (const [, cut] of found) cut();
    return found.length;
  }

  /**
   * Takes no new requests, ends watches, lets other requests come to their end, and cuts off what takes longer than `graceMs`.
   *
   * Afterwards no socket and no timer of this server is left.
   */
  stop({ graceMs = 10_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    return (this.#stopped ??= this.#stop(graceMs));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop({ graceMs: 0 });
  }

  async #stop(graceMs: number): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    const closed = server.listening ? once(server, "close") : undefined;
    server.close();
    server.closeIdleConnections();
    for (const session of this.#sessions) session.close();
    for (const { isLong, controller } of this.#running.keys())
      if (isLong) controller.abort(new Error("the server stops"));
    const force = (): void => {
      for (const { controller } of this.#running.keys()) controller.abort(new Error("the server stops"));
      for (const session of this.#sessions) session.destroy();
      for (const socket of this.#sockets) socket.destroy();
    };
    if (graceMs <= 0) force();
    const grace = this.#settings.clock.schedule(graceMs, force);
    await closed;
    grace[Symbol.dispose]();
  }

  #attach(server: Server, http2: () => Http2Server): void {
    const { observer } = this.#settings;
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    // One port, two protocols: what TLS agreed on decides who reads on.
    const readHttp1 = server.listeners("secureConnection");
    server.removeAllListeners("secureConnection");
    server.on("secureConnection", (socket: TLSSocket) => {
      socket.on("error", () => socket.destroy());
      if (socket.alpnProtocol === "h2") http2().emit("connection", socket);
      else for (const read of readHttp1) Reflect.apply(read, server, [socket]);
    });
    const running = new WeakMap<object, IncomingMessage>();
    server.on("request", (request, response) => {
      running.set(request.socket, request);
      response.once("close", () => running.delete(request.socket));
      this.#accept(wireHttp1(request, response));
    });
    // An upgrade that nobody offers is an ordinary request, as on the real server; a tunnel is refused.
    server.on("connect", (_, socket) => endWith(socket, nothingThere));
    server.on("tlsClientError", (error, socket) => {
      observer.refused?.(error.message);
      socket.destroy();
    });
    server.on("clientError", (error, socket) => {
      observer.refused?.(error.message);
      const current = running.get(socket);
      if (breakOff(socket, current)) return;
      // The client went in the middle of what it sent: there is nobody to tell.
      if (current !== undefined && "code" in error && error.code === "HPE_INVALID_EOF_STATE") socket.destroy();
      else refuseBytes(error, socket);
    });
  }

  #http2(): Http2Server {
    const server = http2Module().createServer({
      settings: { maxConcurrentStreams: streamsPerConnectionMax, initialWindowSize: 256 * 1024 },
      maxSessionMemory: 256,
    });
    server.on("session", (session) => {
      this.#sessions.add(session);
      let streams = 0;
      // One that opens no stream is not let wait for as long as one that has been of use.
      session.setTimeout(firstBytesMs, () => {
        if (streams === 0) session.destroy();
      });
      session.on("stream", (stream) => {
        if (streams === 0) session.setTimeout(idleMs);
        streams += 1;
        stream.once("close", () => (streams -= 1));
      });
      session.on("error", () => session.destroy());
      session.once("close", () => this.#sessions.delete(session));
      if (this.#stopped !== undefined) session.close();
    });
    server.on("request", (request, response) => this.#accept(wireHttp2(request, response)));
    server.on("sessionError", (error) => this.#settings.observer.refused?.(String(error)));
    return server;
  }

  #accept(wire: Wire): void {
    const { observer, clock } = this.#settings;
    const { arrival, out } = wire;
    const started = clock.monotonic();
    const exchange = beginExchange(arrival, this.#settings, this.#stopped !== undefined);
    const { controller, request, auditId } = exchange;
    this.#running.set(exchange, arrival.cut);
    out.on("close", () => controller.abort(new Error("the client closed the connection")));
    // A broken connection is told by `close`; without a listener it would end the process.
    out.on("error", () => undefined);
    arrival.input.on("error", () => undefined);
    const finish = async (): Promise<void> => {
      let status = 0;
      try {
        status = await this.#answer(exchange, wire);
      } catch (error) {
        const { method, target: uri } = arrival;
        if (!controller.signal.aborted) observer.panicked?.({ method, uri, auditId }, error);
        arrival.cut();
      }
      this.#running.delete(exchange);
      if (request !== undefined) observer.finished?.(request, { status, ms: clock.monotonic() - started });
    };
    void finish();
  }

  /** Writes the answer and resolves to its status when it is on its way; 0 when there is none. */
  async #answer({ answer: coming, auditId, isBare, controller }: Exchange, wire: Wire): Promise<number> {
    const { arrival, out } = wire;
    const { signal } = controller;
    const answer = await coming;
    if (answer === "cut") {
      arrival.cut();
      return 0;
    }
    if (out.isClosed()) return 0;
    // One that timed out may still be sending, as slowly as it likes.
    const isLate = signal.aborted || (isBare && answer.status >= 400 && answer.status < 500);
    const isLast = wire.settleBody().isLast || isLate || this.#stopped !== undefined;
    const isHead = arrival.method === "HEAD";
    const date = this.#date;
    await writeAnswer(out, answer, { auditId, date, requestHeaders: arrival.headers, isHead, isLast, isBare, signal });
    wire.close();
    return answer.status;
  }
}
