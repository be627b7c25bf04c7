import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { ArgumentError, type Clock, ConnectionLimiter, ListenError, systemClock } from "@homeostat/core";
import { checkPair, type KeyPair } from "@homeostat/x509";
import { type ChunkedResponse, statusResponse } from "../review/response.ts";
import { SliceScheduler } from "../work/slices.ts";
import type { ClientCertificates } from "./client-certificate.ts";
import { InFlight } from "./in-flight.ts";
import { addressLimits, defaultServerLimits, type ServerLimits } from "./limits.ts";
import type { WebhookObserver } from "./observer.ts";
import { makeRoutes, type RoutesOptions } from "./routes.ts";
import { type Served, type Serving, serveRequest } from "./serve-request.ts";

/** Options of a {@link WebhookServer}. */
export interface WebhookServerOptions extends RoutesOptions {
  readonly clock?: Clock;
  readonly observer?: WebhookObserver;
  /**
   * Time limit of a webhook in milliseconds. Default 10,000. API servers that wait for a shorter time send it with the
   * request.
   */
  readonly timeoutMs?: number;
  /**
   * Number of requests after which a connection is closed gracefully. Default 0: never. API servers reuse a connection
   * and therefore one replica; with a limit their requests are spread over all replicas.
   */
  readonly requestsPerConnectionMax?: number;
  /** Result of `/healthz` and `/readyz`. Default: healthy. */
  readonly health?: () => boolean | Promise<boolean>;
  /** Maximum number of requests in flight. Others get 429 with `Retry-After`, and API servers retry. Default 200. */
  readonly requestsInFlightMax?: number;
  /**
   * Maximum number of bytes of bodies and long responses in flight; further requests get 429. Default 128 MiB with
   * conversions, one of which may be a whole list, and 32 MiB without.
   */
  readonly bytesInFlightMax?: number;
  /**
   * Maximum number of connections. At the limit, the one that is idle for the longest time is closed. Default 500, half
   * of them per address.
   */
  readonly connectionsMax?: number;
  /**
   * Restricts admission webhooks to API servers with a client certificate. Default: every client may call them.
   *
   * Does not apply to conversion: API servers send no certificate to conversion webhooks.
   */
  readonly clientCertificates?: ClientCertificates | undefined;
}

const minVersion = "TLSv1.2";
/**
 * Longer than the 90 s after which an API server closes an idle connection. The client must be the one to close it: a
 * request sent while the server closes the connection would fail.
 */
const keepAliveMs = 120_000;

/**
 * Time limits of clients, in milliseconds. API servers send a request at once; slower clients hold a connection and
 * memory. Headers and body must arrive within `bodyMs`, and the response must be sent within `responseMs` after that:
 * the 30 seconds that an API server waits at most, plus the time to send it.
 */
export const timeLimits = {
  handshakeMs: 5_000,
  headersMs: 5_000,
  bodyMs: 15_000,
  responseMs: 45_000,
  checkMs: 2_000,
} as const;

/**
 * Serves admission and conversion webhooks over HTTPS. Every replica runs one, leader or not.
 *
 * @example
 * const server = new WebhookServer({ webhooks: [gate], conversions: [conversion] });
 * await server.listen({ certificate, port: 9443 });
 * server.reload(renewed); // running connections stay
 * await server.stop({ graceMs: 10_000 });
 */
export class WebhookServer {
  readonly #serving: Serving;
  readonly #requestsPerConnectionMax: number;
  readonly #connections: ConnectionLimiter;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #server: Server | undefined;
  #certificate: KeyPair | undefined;
  #clientCertificates: ClientCertificates | undefined;
  #isStopping = false;

  constructor(options: WebhookServerOptions = {}) {
    const { clock = systemClock, observer = {}, timeoutMs = 10_000, health = () => true } = options;
    const hasConversions = (options.conversions ?? []).length > 0;
    const limits: ServerLimits = { ...defaultServerLimits({ hasConversions }), ...definedLimits(options) };
    const perAddress = addressLimits(limits);
    this.#requestsPerConnectionMax = options.requestsPerConnectionMax ?? 0;
    this.#connections = new ConnectionLimiter({
      totalMax: limits.connectionsMax,
      perAddressMax: perAddress.connectionsMax,
      requestMsMax: timeLimits.responseMs,
      clock,
    });
    this.#clientCertificates = options.clientCertificates;
    this.#serving = {
      routes: makeRoutes(options),
      clock,
      observer,
      timeoutMs,
      health,
      stopping: this.#stop.signal,
      slices: new SliceScheduler({ clock }),
      inFlight: new InFlight({
        requestsMax: limits.requestsInFlightMax,
        requestsPerAddressMax: perAddress.requestsInFlightMax,
        bytesMax: limits.bytesInFlightMax,
        bytesPerAddressMax: perAddress.bytesInFlightMax,
      }),
      clientCertificates: () => this.#clientCertificates,
    };
  }

  /**
   * Starts to listen and returns the port; port 0 selects a free one.
   *
   * Throws a `CertificateError` if certificate and key do not match, and a `ListenError` if the port is in use.
   */
  async listen(options: { certificate: KeyPair; port: number; host?: string }): Promise<{ port: number }> {
    const { certificate, port, host } = options;
    checkPair(certificate);
    this.#certificate = certificate;
    const server = createServer({
      ...this.#tlsOptions(certificate),
      ...(this.#clientCertificates === undefined ? {} : { requestCert: true, rejectUnauthorized: false }),
      keepAliveTimeout: keepAliveMs,
      handshakeTimeout: timeLimits.handshakeMs,
      headersTimeout: timeLimits.headersMs,
      requestTimeout: timeLimits.bodyMs,
      connectionsCheckingInterval: timeLimits.checkMs,
    });
    server.maxRequestsPerSocket = this.#requestsPerConnectionMax;
    server.on("connection", (socket) => this.#connections.open(socket));
    server.on("request", (request, response) => this.#accept(request, response));
    // A failed handshake affects that client only. Without a listener, Node prints a warning.
    server.on("tlsClientError", (_, socket) => socket.destroy());
    server.listen(port, host);
    try {
      await once(server, "listening");
    } catch (cause) {
      throw new ListenError({ host, port, purpose: "webhooks" }, { cause });
    }
    // A later error affects a single connection. Without a listener it would end the process.
    server.on("error", () => undefined);
    this.#server = server;
    const address = server.address();
    return { port: typeof address === "object" && address !== null ? address.port : port };
  }

  /**
   * Uses another certificate for new connections. Open connections keep theirs.
   *
   * Throws a `CertificateError` if certificate and key do not match, and keeps the current certificate.
   */
  reload(certificate: KeyPair): void {
    checkPair(certificate);
    this.#certificate = certificate;
    this.#server?.setSecureContext(this.#tlsOptions(certificate));
  }

  /**
   * Uses other client CAs and names for new connections.
   *
   * Throws an `ArgumentError` if the server was created without `clientCertificates`, because it does not request
   * client certificates then.
   */
  reloadClientCertificates(clientCertificates: ClientCertificates): void {
    if (this.#clientCertificates === undefined) {
      const problem = "cannot be set on a server that was created without it.";
      throw new ArgumentError({ argument: "clientCertificates", problem });
    }
    this.#clientCertificates = clientCertificates;
    if (this.#certificate !== undefined) this.#server?.setSecureContext(this.#tlsOptions(this.#certificate));
  }

  /** True while connections are accepted. */
  get isListening(): boolean {
    return this.#server?.listening ?? false;
  }

  /**
   * Stops the server: accepts no new connections, waits for running requests, and aborts those that take longer than
   * `graceMs`.
   */
  async stop({ graceMs = 10_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    const server = this.#server;
    if (server === undefined || this.#isStopping) return;
    this.#isStopping = true;
    const closed = once(server, "close");
    server.close();
    server.closeIdleConnections();
    const grace = this.#serving.clock.schedule(graceMs, () => {
      this.#stop.abort(new Error("the webhook server is stopping"));
      server.closeAllConnections();
    });
    await Promise.all(this.#running);
    server.closeIdleConnections();
    await closed;
    grace[Symbol.dispose]();
  }

  #accept(request: IncomingMessage, response: ServerResponse): void {
    const work = this.#handle(request, response).finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let served: Served;
    try {
      // Until its body has arrived, a request may come from a slow sender, whose connection may be closed to make room.
      served = await serveRequest(request, this.#serving, () => this.#connections.begin(request, response));
    } catch {
      // An observer threw, or the URL is malformed.
      served = {
        response: statusResponse({ status: 400, reason: "BadRequest", message: "the request cannot be parsed" }),
      };
    }
    try {
      if (!response.destroyed) await this.#write(request, response, served.response);
    } finally {
      served.lease?.[Symbol.dispose]();
    }
  }

  async #write(
    request: IncomingMessage,
    response: ServerResponse,
    { status, body, retryAfterSeconds }: ChunkedResponse,
  ): Promise<void> {
    response.on("error", () => response.destroy());
    // Unread bytes of a body would be taken for the next request.
    const isDone = request.complete && !this.#isStopping;
    const chunks = typeof body === "string" ? [Buffer.from(body)] : body;
    response.writeHead(status, {
      "content-type": "application/json",
      "content-length": chunks.reduce((sum, chunk) => sum + chunk.length, 0),
      "x-content-type-options": "nosniff",
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
      ...(isDone ? {} : { connection: "close" }),
    });
    await new Promise<void>((resolve) => {
      response.once("close", resolve);
      const rest = chunks.values();
      // Each write encrypts its data, so a long response waits for the socket between chunks and does not block the
      // event loop.
      const writeMore = (): void => {
        for (;;) {
          const { value: chunk } = rest.next();
          if (chunk === undefined) break;
          if (!response.write(chunk)) {
            response.once("drain", writeMore);
            return;
          }
        }
        response.end(() => resolve());
      };
      writeMore();
    });
  }

  #tlsOptions(certificate: KeyPair): KeyPair & { readonly minVersion: typeof minVersion; readonly ca?: string } {
    const { authorities: ca } = this.#clientCertificates ?? {};
    return { ...certificate, minVersion, ...(ca === undefined ? {} : { ca }) };
  }
}

function definedLimits(options: WebhookServerOptions): Partial<ServerLimits> {
  const { requestsInFlightMax, bytesInFlightMax, connectionsMax } = options;
  return {
    ...(requestsInFlightMax !== undefined && { requestsInFlightMax }),
    ...(bytesInFlightMax !== undefined && { bytesInFlightMax }),
    ...(connectionsMax !== undefined && { connectionsMax }),
  };
}
