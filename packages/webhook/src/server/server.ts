import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { ArgumentError, type Clock, ConnectionLimiter, ListenError, systemClock } from "@homeostat/core";
import { checkPair, type KeyPair } from "@homeostat/x509";
import { type PiecewiseReply, statusReply } from "../review/reply.ts";
import { SliceScheduler } from "../work/slices.ts";
import type { ClientCertificates } from "./client-certificate.ts";
import { InFlight } from "./in-flight.ts";
import type { WebhookObserver } from "./observer.ts";
import { makeRoutes, type RoutesOptions } from "./routes.ts";
import { type Served, type Serving, serveRequest } from "./serve-request.ts";

/** Options of a {@link WebhookServer}. */
export interface WebhookServerOptions extends RoutesOptions {
  readonly clock?: Clock;
  readonly observer?: WebhookObserver;
  /** The longest a webhook may think in milliseconds. Default 10,000; an API server that waits less says so itself. */
  readonly timeoutMs?: number;
  /**
   * After how many requests a connection is closed, in good order. Default 0: never. API servers keep to a connection and
   * so to one replica; with a limit they spread over all of them.
   */
  readonly requestsPerConnectionMax?: number;
  /** What `/healthz` and `/readyz` say. Healthy unless given. */
  readonly health?: () => boolean | Promise<boolean>;
  /** The most requests in flight; others get 429 with `Retry-After`, and API servers retry. Default 200. */
  readonly requestsInFlightMax?: number;
  /**
   * The most bytes of bodies and long responses in flight; requests beyond get 429. Default 128 MiB with conversions, of
   * which one may be a whole list, and 32 MiB without.
   */
  readonly bytesInFlightMax?: number;
  /** The most connections; at the limit the longest idle one is closed. Default 500, half of them from one address. */
  readonly connectionsMax?: number;
  /**
   * Lets only API servers with a client certificate call admission webhooks. Default: every client may.
   *
   * Does not concern conversion: API servers show no certificate to conversion webhooks.
   */
  readonly clientCertificates?: ClientCertificates | undefined;
}

const minVersion = "TLSv1.2";
/** Longer than the 90 s after which an API server closes an idle connection: the side that sends must be the one to close. */
const keepAliveMs = 120_000;

/**
 * Time limits of clients, in milliseconds. An API server sends a request at once; slower clients hold a connection and memory.
 * Headers and body have to arrive within `bodyMs`, and the response has to be sent within `responseMs` after that: the 30 seconds
 * that an API server waits at most, and the time to send it.
 */
const timeLimits = {
  handshakeMs: 5_000,
  headersMs: 5_000,
  bodyMs: 15_000,
  responseMs: 45_000,
  checkMs: 2_000,
} as const;

/**
 * Serves admission and conversion over HTTPS. Every replica does, whether it leads or not.
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
    const { requestsInFlightMax = 200, connectionsMax = 500, conversions = [] } = options;
    const { bytesInFlightMax = (conversions.length > 0 ? 128 : 32) * 1024 * 1024 } = options;
    this.#requestsPerConnectionMax = options.requestsPerConnectionMax ?? 0;
    this.#connections = new ConnectionLimiter({
      totalMax: connectionsMax,
      perAddressMax: Math.ceil(connectionsMax / 2),
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
      // One address gets three quarters: a whole list and its response fit, and others keep some room.
      inFlight: new InFlight({
        requestsMax: requestsInFlightMax,
        requestsPerAddressMax: threeQuarters(requestsInFlightMax),
        bytesMax: bytesInFlightMax,
        bytesPerAddressMax: threeQuarters(bytesInFlightMax),
      }),
      clientCertificates: () => this.#clientCertificates,
    };
  }

  /**
   * Begins to serve and returns the port, which is chosen where 0 is given.
   *
   * Throws a `CertificateError` for a pair that does not belong together, and a `ListenError` for a port that is taken.
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
    // A failed handshake concerns that client only; without a listener Node prints a warning.
    server.on("tlsClientError", (_, socket) => socket.destroy());
    server.listen(port, host);
    try {
      await once(server, "listening");
    } catch (cause) {
      throw new ListenError({ host, port, purpose: "webhooks" }, { cause });
    }
    // A later error concerns a single connection; without a listener it would end the process.
    server.on("error", () => undefined);
    this.#server = server;
    const address = server.address();
    return { port: typeof address === "object" && address !== null ? address.port : port };
  }

  /**
   * Uses another certificate from the next connection on. Open connections keep theirs.
   *
   * Throws a `CertificateError` for a pair that does not belong together, and then keeps the one in use.
   */
  reload(certificate: KeyPair): void {
    checkPair(certificate);
    this.#certificate = certificate;
    this.#server?.setSecureContext(this.#tlsOptions(certificate));
  }

  /**
   * Uses other client authorities and names from the next connection on.
   *
   * Throws an `ArgumentError` when the server was made without `clientCertificates`: it asks no client for a certificate then.
   */
  reloadClientCertificates(clientCertificates: ClientCertificates): void {
    if (this.#clientCertificates === undefined) {
      const problem = "cannot be set on a server that was made without it.";
      throw new ArgumentError({ argument: "clientCertificates", problem });
    }
    this.#clientCertificates = clientCertificates;
    if (this.#certificate !== undefined) this.#server?.setSecureContext(this.#tlsOptions(this.#certificate));
  }

  /** Whether connections are accepted. */
  get isListening(): boolean {
    return this.#server?.listening ?? false;
  }

  /** Takes no new connections, lets running requests end, and cuts off those that take longer than `graceMs`. */
  async stop({ graceMs = 10_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    const server = this.#server;
    if (server === undefined || this.#isStopping) return;
    this.#isStopping = true;
    const closed = once(server, "close");
    server.close();
    server.closeIdleConnections();
    const grace = this.#serving.clock.schedule(graceMs, () => {
      this.#stop.abort(new Error("the webhook server stops"));
      server.closeAllConnections();
    });
    await Promise.all(this.#running);
    server.closeIdleConnections();
    await closed;
    grace[Symbol.dispose]();
  }

  #accept(request: IncomingMessage, response: ServerResponse): void {
    const work = this.#answer(request, response).finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let served: Served;
    try {
      // Until its body has arrived, a request may come from a slow sender, whose connection can be closed to make room.
      served = await serveRequest(request, this.#serving, () => this.#connections.begin(request, response));
    } catch {
      // An observer threw, or the URL is malformed.
      served = { reply: statusReply({ status: 400, reason: "BadRequest", message: "the request cannot be read" }) };
    }
    try {
      if (!response.destroyed) await this.#write(request, response, served.reply);
    } finally {
      served.lease?.[Symbol.dispose]();
    }
  }

  async #write(
    request: IncomingMessage,
    response: ServerResponse,
    { status, body, retryAfterSeconds }: PiecewiseReply,
  ): Promise<void> {
    response.on("error", () => response.destroy());
    // Unread bytes of a body would be taken for the next request.
    const isDone = request.complete && !this.#isStopping;
    const pieces = typeof body === "string" ? [Buffer.from(body)] : body;
    response.writeHead(status, {
      "content-type": "application/json",
      "content-length": pieces.reduce((sum, piece) => sum + piece.length, 0),
      "x-content-type-options": "nosniff",
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
      ...(isDone ? {} : { connection: "close" }),
    });
    await new Promise<void>((resolve) => {
      response.once("close", resolve);
      const rest = pieces.values();
      // Encrypting happens as pieces are written, so a long response waits for the socket between them.
      const writeMore = (): void => {
        for (;;) {
          const { value: piece } = rest.next();
          if (piece === undefined) break;
          if (!response.write(piece)) {
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

function threeQuarters(limit: number): number {
  return Math.ceil((limit * 3) / 4);
}
