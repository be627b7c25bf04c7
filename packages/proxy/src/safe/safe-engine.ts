import {
  createServer as createHttp1,
  type IncomingMessage,
  type Server as Http1Server,
  type ServerResponse,
} from "node:http";
import {
  createServer as createHttp2,
  type Http2Server,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import type { Clock } from "@homeostat/core";
import { isForwardedUpgrade, requestProblems } from "../http1/request-head.ts";
import type { ProxyLimits } from "../limits/limits.ts";
import type { AcceptedConnection, Engine } from "../listener/engine.ts";
import type { ProxyObserver } from "../observe/observer.ts";
import type { Balancer } from "../upstream/balancer.ts";
import type { ClientShare } from "../limits/client-share.ts";
import type { Connect } from "../upstream/connect.ts";
import { connectionFields, pairsOf } from "./exchange.ts";
import { type SafeContext, serve } from "./forward.ts";
import { Http1Exchange } from "./http1-exchange.ts";
import { Http2Exchange } from "./http2-exchange.ts";
import { SafeUpstreams } from "./safe-upstream.ts";
import { refuseUpgrade, serveUpgrade } from "./upgrade.ts";

/** Options of a safe engine. */
export interface SafeEngineOptions {
  readonly clock: Clock;
  readonly limits: ProxyLimits;
  readonly balancer: Balancer;
  readonly observer: ProxyObserver;
  /** Opens connections to upstreams. Default: TCP. */
  readonly connect?: Connect | undefined;
}

const streamsMax = 256;

/** A session of HTTP/2 with its connection. */
interface AcceptedSession {
  readonly connection: AcceptedConnection;
  readonly share: ClientShare;
}

/**
 * The engine on Node's own HTTP modules, for both protocols. It costs several times as much CPU time as the others. It is one switch away if they have a bug,
 * tests compare them with it, and it translates where client and upstream speak different protocols.
 */
export class SafeEngine implements Engine {
  readonly #context: SafeContext;
  readonly #http1: Http1Server;
  readonly #http2: Http2Server;
  readonly #connections = new Map<Socket, AcceptedConnection>();
  /** Ends of the last requests of connections of HTTP/1.1. The next one waits for it: side by side, a pipelined GET could overtake a POST. */
  readonly #lastOf = new WeakMap<Socket, Promise<void>>();
  readonly #sessions = new Map<Http2Session, AcceptedSession>();
  #accepting: AcceptedConnection | undefined;
  #isDraining = false;

  constructor({ clock, limits, balancer, observer, connect }: SafeEngineOptions) {
    const upstreams = new SafeUpstreams({ clock, limits, connect });
    this.#context = { clock, limits, balancer, observer, upstreams };
    this.#http1 = createHttp1({
      maxHeaderSize: limits.headBytesMax,
      headersTimeout: limits.requestHeadMs,
      keepAliveTimeout: limits.clientKeepAliveMs,
      // Requests may take as long as they need; Node's limit is 5 minutes.
      requestTimeout: 0,
    });
    this.#http1.maxHeadersCount = limits.headersMax;
    this.#http2 = createHttp2({
      maxSendHeaderBlockLength: limits.headBytesMax * 2,
      settings: {
        maxConcurrentStreams: streamsMax,
        maxHeaderListSize: limits.headBytesMax,
        enableConnectProtocol: true,
      },
    });
    this.#listen();
  }

  get size(): number {
    return this.#connections.size;
  }

  accept(connection: AcceptedConnection): void {
    const { socket, first } = connection;
    const isHttp2 = connection.protocol === "http2";
    this.#connections.set(socket, connection);
    socket.once("close", () => this.#connections.delete(socket));
    socket.on("error", () => undefined);
    // A socket that still flows would emit the bytes at once, before a server listens.
    socket.pause();
    if (first.length > 0) socket.unshift(first);
    this.#accepting = connection;
    (isHttp2 ? this.#http2 : this.#http1).emit("connection", socket);
    this.#accepting = undefined;
    if (!isHttp2) socket.resume();
  }

  /** Closes connections to addresses that no table names any more. Running requests finish. */
  retain(addresses: ReadonlySet<string>): void {
    this.#context.upstreams.retain(addresses);
  }

  drain(): void {
    this.#isDraining = true;
    for (const session of this.#sessions.keys()) session.close();
    this.#http1.closeIdleConnections();
  }

  close(): void {
    for (const socket of this.#connections.keys()) socket.destroy();
    this.#context.upstreams.close();
  }

  #listen(): void {
    const context = this.#context;
    for (const event of ["request", "checkContinue", "checkExpectation"] as const) {
      this.#http1.on(event, (message, response) => {
        const connection = this.#connections.get(message.socket);
        if (connection === undefined) return;
        if (hasSeveralHosts(message.rawHeaders)) return this.#refuse(message, response);
        if (this.#isDraining) response.setHeader("connection", "close");
        const exchange = new Http1Exchange(message, response, connection);
        const before = this.#lastOf.get(message.socket) ?? Promise.resolve();
        this.#lastOf.set(
          message.socket,
          before.then(() => serve(context, connection.router, exchange)),
        );
      });
    }
    this.#http1.on("upgrade", (message, socket, head) => {
      const connection = this.#connections.get(message.socket);
      if (connection === undefined) return;
      if (hasSeveralHosts(message.rawHeaders)) {
        context.observer.failed("bad_request", undefined);
        return refuseUpgrade(socket, requestProblems.host);
      }
      if (!isForwardedUpgrade(message.headers.upgrade)) return this.#readAgain(message, head);
      void serveUpgrade(context, connection.router, { message, socket, head, scheme: connection.scheme });
    });
    // Node emits this event while the connection is handed over.
    this.#http2.on("session", (session) => {
      session.on("error", () => undefined);
      if (this.#accepting !== undefined)
        this.#sessions.set(session, { connection: this.#accepting, share: { pending: 0, held: 0 } });
      session.on("close", () => this.#sessions.delete(session));
    });
    this.#http2.on("sessionError", () => undefined);
    this.#http2.on(
      "stream",
      (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, rawHeaders: readonly string[]) => {
        const accepted = stream.session === undefined ? undefined : this.#sessions.get(stream.session);
        if (accepted === undefined) return;
        const { share, connection } = accepted;
        const { router, scheme } = connection;
        void serve(context, router, new Http2Exchange(stream, headers, { rawHeaders, scheme, share }));
      },
    );
  }

  /** Refuses a request whose recipients may disagree on its host. Node's server accepts several, and its client sends none of them. */
  #refuse({ socket }: IncomingMessage, response: ServerResponse): void {
    // Requests after it on the connection are not served.
    this.#connections.delete(socket);
    const { status, text } = requestProblems.host;
    this.#context.observer.failed("bad_request", undefined);
    const body = `${text}\n`;
    const type = "text/plain; charset=utf-8";
    response.writeHead(status, { connection: "close", "content-type": type, "content-length": body.length });
    response.end(body);
  }

  /**
   * Lets the server read a request again without its wish to switch protocols. A switch to HTTP/2 would turn the connection into one whose requests the
   * proxy cannot see.
   */
  #readAgain({ method, url, httpVersion, rawHeaders, socket }: IncomingMessage, rest: Buffer): void {
    const fields = pairsOf(rawHeaders).filter(([name]) => !connectionFields.has(name) && name !== "http2-settings");
    const coding = pairsOf(rawHeaders).filter(([name]) => name === "transfer-encoding");
    const lines = [...fields, ...coding].map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `${method} ${url} HTTP/${httpVersion}\r\n${lines.join("")}\r\n`;
    socket.unshift(Buffer.concat([Buffer.from(head, "latin1"), rest]));
    this.#http1.emit("connection", socket);
    socket.resume();
  }
}

/** Reports whether a request has more than one `host`. */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  return pairsOf(rawHeaders).filter(([name]) => name === "host").length > 1;
}
