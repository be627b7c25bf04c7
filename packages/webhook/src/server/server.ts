import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { type Clock, ListenError, systemClock } from "@homeostat/core";
import { checkPair, type KeyPair } from "@homeostat/x509";
import { type Reply, statusReply } from "../review/reply.ts";
import type { WebhookObserver } from "./observer.ts";
import { makeRoutes, type RoutesOptions } from "./routes.ts";
import { type Serving, serveRequest } from "./serve-request.ts";

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
}

const minVersion = "TLSv1.2";
/** Longer than the 90 s after which an API server closes an idle connection: the side that sends must be the one to close. */
const keepAliveMs = 120_000;

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
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #server: Server | undefined;
  #isStopping = false;

  constructor(options: WebhookServerOptions = {}) {
    const { clock = systemClock, observer = {}, timeoutMs = 10_000, health = () => true } = options;
    const stopping = this.#stop.signal;
    this.#requestsPerConnectionMax = options.requestsPerConnectionMax ?? 0;
    this.#serving = { routes: makeRoutes(options), clock, observer, timeoutMs, stopping, health };
  }

  /**
   * Begins to serve and returns the port, which is chosen where 0 is given.
   *
   * Throws a `CertificateError` for a pair that does not belong together, and a `ListenError` for a port that is taken.
   */
  async listen(options: { certificate: KeyPair; port: number; host?: string }): Promise<{ port: number }> {
    const { certificate, port, host } = options;
    checkPair(certificate);
    const server = createServer({ ...certificate, minVersion, keepAliveTimeout: keepAliveMs, headersTimeout: 10_000 });
    server.requestTimeout = 60_000;
    server.maxRequestsPerSocket = this.#requestsPerConnectionMax;
    server.on("request", (request, response) => this.#accept(request, response));
    // A handshake that fails is the caller's affair; without a listener nothing would be different but a warning.
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
    this.#server?.setSecureContext({ ...certificate, minVersion });
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
    let reply: Reply;
    try {
      reply = await serveRequest(request, this.#serving);
    } catch {
      // Only an observer or a URL can have done this.
      reply = statusReply({ status: 400, reason: "BadRequest", message: "the request cannot be read" });
    }
    if (response.destroyed) return;
    response.on("error", () => response.destroy());
    // A body that was not read to its end would be taken for the next request.
    const isDone = request.complete && !this.#isStopping;
    response.writeHead(reply.status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(reply.body),
      "x-content-type-options": "nosniff",
      ...(isDone ? {} : { connection: "close" }),
    });
    await new Promise<void>((resolve) => {
      response.once("close", resolve);
      response.end(reply.body, () => resolve());
    });
  }
}
