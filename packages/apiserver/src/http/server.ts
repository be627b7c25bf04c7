import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Http2Server, ServerHttp2Session } from "node:http2";
import { createServer, type Server } from "node:https";
import type { Socket } from "node:net";
import { DEFAULT_CIPHERS, type TLSSocket } from "node:tls";
import {
  ArgumentError,
  type Clock,
  ConnectionLimiter,
  once as madeOnce,
  type Random,
  systemClock,
  systemRandom,
} from "@homeostat/core";
import { checkPair, type KeyPair, normalizeHost } from "@homeostat/x509";
import { DateHeader } from "./date-header.ts";
import { beginExchange, type Exchange, type ExchangeSettings } from "./exchange.ts";
import { Faults } from "./faults.ts";
import type { Handler, ServerRequest } from "./handler.ts";
import { isLoopback } from "./host-check.ts";
import { http2Module } from "./node-http2.ts";
import type { HttpObserver } from "./observer.ts";
import { endWith, notFound, refuseBytes } from "./raw-response.ts";
import { markBroken, headerCountMax, type Wire, wireHttp1, wireHttp2 } from "./wire.ts";
import { writeResponse } from "./write-response.ts";

/** Options of an {@link HttpServer}. */
export interface HttpServerOptions {
  readonly handler: Handler;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly observer?: HttpObserver;
  /** Injected faults, for tests. */
  readonly faults?: Faults;
  /** Host names and addresses in addition to those of this machine for which requests are accepted. */
  readonly hosts?: readonly string[];
  /** Maximum size of a body in bytes. Default 3 MiB, as in kube-apiserver. */
  readonly bodyBytesMax?: number;
  /** Time limit of a request that is not a watch or stream, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number;
  /**
   * Maximum number of connections. Default 10,000. At the limit, the connection that is idle for the longest time is
   * closed; one with a running request or watch never is.
   */
  readonly connectionsMax?: number;
}

/** Address and certificates of a server. */
export interface ListenOptions {
  /** Serving certificate. */
  readonly certificate: KeyPair;
  /** CAs for client certificates, PEM. Without them, the server requests no client certificate. */
  readonly clientAuthorities?: string;
  /** Port. Default 0: a free one. */
  readonly port?: number;
  /** Address to listen on. Default 127.0.0.1. Any address that other machines can reach requires `isOpenToNetwork`. */
  readonly host?: string;
  /** True to confirm that other machines may connect. */
  readonly isOpenToNetwork?: boolean;
}

const minVersion = "TLSv1.2";
/** AES-128 first, as in Go's server: every event is encrypted separately for each watcher, so the cipher matters. */
const ciphers = `TLS_AES_128_GCM_SHA256:${DEFAULT_CIPHERS}`;
const headerBytesMax = 1024 * 1024;
/** Default limit of connections. */
export const connectionsMaxDefault = 10_000;
/** Time limit for the TLS handshake, for the request headers, and for the first request of a connection. */
const firstBytesMs = 10_000;
/** Time limit for receiving a whole request, body included. Node enforces it in real time. */
const wholeRequestMs = 60_000;
const idleMs = 120_000;
const streamsPerConnectionMax = 250;

/**
 * The HTTPS server in front of a {@link Handler}.
 *
 * Supports HTTP/1.1 and HTTP/2. kubectl and client-go prefer HTTP/2 and keep all their watches on one connection.
 *
 * @example
 * const server = new HttpServer({ handler });
 * const { port } = await server.listen({ certificate });
 * await server.stop();
 */
export class HttpServer {
  /** Injected faults, for tests. */
  readonly faults: Faults;
  readonly #settings: ExchangeSettings;
  readonly #connections: ConnectionLimiter;
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
    const { connectionsMax = connectionsMaxDefault } = options;
    // All clients of an embedded server are on this machine and may have the same address, so there is no lower limit
    // per address. Watches have no time limit.
    this.#connections = new ConnectionLimiter({
      totalMax: connectionsMax,
      perAddressMax: connectionsMax,
      requestMsMax: Infinity,
      clock,
    });
    this.#date = new DateHeader(clock);
    const names = new Set(hosts.map(normalizeHost));
    this.#settings = { handler, clock, random, observer, faults, hosts: names, bodyBytesMax, timeoutMs };
  }

  /**
   * Starts to listen and returns the address.
   *
   * Throws an `ArgumentError` for a host that other machines can reach unless `isOpenToNetwork` is set, and a
   * `CertificateError` if the certificate and key do not match. Rejects with the error of the system if the port is in
   * use.
   */
  async listen(options: ListenOptions): Promise<{ host: string; port: number }> {
    const { certificate, clientAuthorities: ca, port = 0, host = "127.0.0.1", isOpenToNetwork = false } = options;
    if (this.#server !== undefined) throw new ArgumentError({ argument: "server", problem: "is already listening." });
    if (!isOpenToNetwork && !isLoopback(host)) {
      const problem = `is ${host}, which other machines can reach; set isOpenToNetwork to allow that.`;
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
      // The header is checked in wire.ts, which responds with Go's text.
      requireHostHeader: false,
      noDelay: true,
    });
    server.maxHeadersCount = headerCountMax;
    this.#server = server;
    // Loads Node's HTTP/2 module only when a client uses the protocol.
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
    // For example too many open files: one connection is lost, but the server continues.
    server.on("error", (error) => this.#settings.observer.refused?.(error.message));
    const address = server.address();
    return { host, port: typeof address === "object" && address !== null ? address.port : port };
  }

  /** Number of running requests, including watches. */
  get runningCount(): number {
    return this.#running.size;
  }

  /** Closes the connections of running requests that match and returns their number, to simulate a network failure. */
  cut(match: (request: ServerRequest) => boolean): number {
    const found = [...this.#running].filter(([{ request }]) => request !== undefined && match(request));
    for (const [, cut] of found) cut();
    return found.length;
  }

  /**
   * Stops the server: refuses new requests, ends watches, waits for running requests, and aborts those that take longer
   * than `graceMs`.
   *
   * When it resolves, no socket and no timer of the server is left.
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
      if (isLong) controller.abort(new Error("the server is stopping"));
    const force = (): void => {
      for (const { controller } of this.#running.keys()) controller.abort(new Error("the server is stopping"));
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
      this.#connections.open(socket);
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    // Both protocols share the port. The protocol that TLS negotiated (ALPN) decides which parser gets the connection.
    const http1Listeners = server.listeners("secureConnection");
    server.removeAllListeners("secureConnection");
    server.on("secureConnection", (socket: TLSSocket) => {
      socket.on("error", () => socket.destroy());
      if (socket.alpnProtocol === "h2") http2().emit("connection", socket);
      else for (const attachHttp1 of http1Listeners) Reflect.apply(attachHttp1, server, [socket]);
    });
    const running = new WeakMap<object, IncomingMessage>();
    server.on("request", (request, response) => {
      running.set(request.socket, request);
      response.once("close", () => running.delete(request.socket));
      this.#connections.begin(request, response);
      this.#accept(wireHttp1(request, response));
    });
    // As on kube-apiserver, an unsupported upgrade is handled as an ordinary request, and CONNECT is refused.
    server.on("connect", (_, socket) => endWith(socket, notFound));
    server.on("tlsClientError", (error, socket) => {
      observer.refused?.(error.message);
      socket.destroy();
    });
    server.on("clientError", (error, socket) => {
      observer.refused?.(error.message);
      const current = running.get(socket);
      if (markBroken(socket, current)) return;
      // The client disconnected in the middle of a request: there is no one to respond to.
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
      // A session without any stream is closed sooner than one that has been used.
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
    server.on("request", (request, response) => {
      this.#connections.begin(request, response);
      this.#accept(wireHttp2(request, response));
    });
    server.on("sessionError", (error) => this.#settings.observer.refused?.(String(error)));
    return server;
  }

  #accept(wire: Wire): void {
    const { observer, clock } = this.#settings;
    const { incoming, out } = wire;
    const started = clock.monotonic();
    const exchange = beginExchange(incoming, this.#settings, this.#stopped !== undefined);
    const { controller, request, auditId } = exchange;
    this.#running.set(exchange, incoming.cut);
    out.on("close", () => controller.abort(new Error("the client closed the connection")));
    // `close` reports a broken connection. Without a listener for `error`, it would end the process.
    out.on("error", () => undefined);
    incoming.input.on("error", () => undefined);
    const finish = async (): Promise<void> => {
      let status = 0;
      try {
        status = await this.#respond(exchange, wire);
      } catch (error) {
        const { method, target: uri } = incoming;
        if (!controller.signal.aborted) observer.panicked?.({ method, uri, auditId }, error);
        incoming.cut();
      }
      this.#running.delete(exchange);
      if (request !== undefined) observer.finished?.(request, { status, ms: clock.monotonic() - started });
    };
    void finish();
  }

  /** Writes the response. Resolves to its status once it is written; 0 if there was none. */
  async #respond({ response: pending, auditId, isBare, controller }: Exchange, wire: Wire): Promise<number> {
    const { incoming, out } = wire;
    const { signal } = controller;
    const response = await pending;
    if (response === "cut") {
      incoming.cut();
      return 0;
    }
    if (out.isClosed()) return 0;
    // Close the connection if the client may still be sending the body of this request.
    const isIncomplete = signal.aborted || (isBare && response.status >= 400 && response.status < 500);
    const isLast = wire.settleBody().isLast || isIncomplete || this.#stopped !== undefined;
    const isHead = incoming.method === "HEAD";
    const date = this.#date;
    await writeResponse(out, response, {
      auditId,
      date,
      requestHeaders: incoming.headers,
      isHead,
      isLast,
      isBare,
      signal,
    });
    wire.close();
    return response.status;
  }
}
