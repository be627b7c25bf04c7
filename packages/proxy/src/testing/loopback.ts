import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from "node:http2";
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from "node:net";
import { type Clock, systemClock } from "@homeostat/core";
import { Http2Engine } from "../http2/engine.ts";
import { defaultLimits, type ProxyLimits } from "../limits/limits.ts";
import { detectProtocol } from "../listener/detect-protocol.ts";
import type { Engine } from "../listener/engine.ts";
import type { IncomingRequest, RoutePlan } from "../router/route-plan.ts";
import { SafeEngine } from "../safe/safe-engine.ts";
import type { Balancer } from "../upstream/balancer.ts";
import type { Connect } from "../upstream/connect.ts";
import { forwardTo } from "./plans.ts";
import { RecordingObserver } from "./recording-observer.ts";
import { SimpleBalancer } from "./simple-balancer.ts";

export type EngineName = "http2" | "safe";

/** Options of a proxy on the loopback interface. */
export interface LoopbackOptions {
  readonly engine: EngineName;
  readonly onStream: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, session: ServerHttp2Session) => void;
  readonly upstreamSettings?: Settings;
  readonly limits?: Partial<ProxyLimits>;
  /** Default: a {@link SimpleBalancer}. */
  readonly chooseBy?: Balancer;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Opens connections to upstreams. Default: TCP. */
  readonly connect?: Connect;
  readonly route?: (request: IncomingRequest, target: string) => RoutePlan;
}

/** A client, a proxy and an upstream of HTTP/2 in one process, connected by loopback. */
export class Loopback implements AsyncDisposable {
  readonly observer: RecordingObserver = new RecordingObserver();
  readonly balancer: SimpleBalancer = new SimpleBalancer();
  readonly engine: Engine;
  readonly upstreamSessions: Set<ServerHttp2Session> = new Set();
  readonly #options: LoopbackOptions;
  readonly #upstream: Http2Server;
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();
  readonly #clients: ClientHttp2Session[] = [];

  constructor(options: LoopbackOptions) {
    this.#options = options;
    const shared = {
      clock: options.clock ?? systemClock,
      ...(options.connect !== undefined && { connect: options.connect }),
      limits: { ...defaultLimits, ...options.limits },
      balancer: options.chooseBy ?? this.balancer,
      observer: this.observer,
    };
    this.engine = options.engine === "http2" ? new Http2Engine(shared) : new SafeEngine(shared);
    this.#upstream = createServer({ settings: options.upstreamSettings ?? {} });
    this.#upstream.on("session", (session) => {
      this.upstreamSessions.add(session);
      session.on("error", () => undefined);
      session.on("close", () => this.upstreamSessions.delete(session));
    });
    this.#upstream.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      stream.on("error", () => undefined);
      if (stream.session !== undefined) options.onStream(stream, headers, stream.session as ServerHttp2Session);
    });
    this.#listener = createNetServer((socket) => this.#accept(socket));
  }

  get target(): string {
    return `127.0.0.1:${(this.#upstream.address() as AddressInfo).port}`;
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  async start(): Promise<this> {
    this.#upstream.listen(0, "127.0.0.1");
    this.#listener.listen(0, "127.0.0.1");
    await Promise.all([once(this.#upstream, "listening"), once(this.#listener, "listening")]);
    return this;
  }

  connect(settings: Settings = {}): ClientHttp2Session {
    const client = connect(`http://127.0.0.1:${this.port}`, { settings });
    client.on("error", () => undefined);
    this.#clients.push(client);
    return client;
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("data", (first: Buffer) => {
      socket.pause();
      socket.removeAllListeners("data");
      this.engine.accept({
        socket,
        first,
        protocol: detectProtocol(first) === "http2" ? "http2" : "http1",
        scheme: "http",
        router: {
          route: (request) => this.#options.route?.(request, this.target) ?? forwardTo([this.target], request.path),
        },
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.destroy();
    this.engine.close();
    for (const session of this.upstreamSessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
    const closed = [once(this.#upstream, "close"), once(this.#listener, "close")];
    this.#upstream.close();
    this.#listener.close();
    await Promise.all(closed);
  }
}

/** A response that a client has received. */
export interface Received {
  readonly headers: IncomingHttpHeaders & { readonly ":status"?: number };
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Error code of the end of the stream. */
  readonly code: number;
}

/** Sends a request and collects its response, until the stream is closed. */
export async function fetchH2(
  client: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: Buffer,
  trailers?: OutgoingHttpHeaders,
): Promise<Received> {
  const stream = client.request(headers, { endStream: body === undefined, waitForTrailers: trailers !== undefined });
  const received: { headers: IncomingHttpHeaders; trailers: IncomingHttpHeaders } = { headers: {}, trailers: {} };
  const chunks: Buffer[] = [];
  stream.on("error", () => undefined);
  stream.on("response", (one) => (received.headers = one));
  stream.on("trailers", (one) => (received.trailers = one));
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  if (trailers !== undefined) stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  if (body !== undefined) stream.end(body);
  await new Promise((resolve) => stream.on("close", resolve));
  return { ...received, body: Buffer.concat(chunks), code: stream.rstCode };
}

/** Collects the body of a request of an upstream. */
export async function bodyOf(stream: ServerHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(stream, "end");
  return Buffer.concat(chunks);
}
