import { Readable } from "node:stream";
import type { Request, Response, Transport } from "@homeostat/client";
import { NetworkError } from "@homeostat/core";

/** A request that an operator sent. */
export interface SentRequest {
  readonly method: string;
  /** Path with the query string. */
  readonly path: string;
  readonly body: string;
}

/** The request at which a process crashes: before it reaches the API server, or after the API server carried it out. */
export interface CrashPoint {
  /** Number of the request among the counted ones, starting at 1. */
  readonly nth: number;
  readonly when: "before" | "after";
}

/** Injected fault of a request: the connection is lost, or the API server responds with this status code. */
export type Fault = "lost" | number;

/** Hooks with which a test observes and changes the requests of one operator process. */
export interface RequestHooks {
  /** Selects the requests that are steps of the work. Crash points count these; lists and watches of the cache are left out. */
  readonly isCounted: (sent: SentRequest) => boolean;
  readonly crash?: CrashPoint | undefined;
  /** Returns the fault of a request, if it has one. Called for every request. */
  readonly fault?: ((sent: SentRequest) => Fault | undefined) | undefined;
  /** Called before each counted write is sent. */
  readonly onWrite?: ((sent: SentRequest) => void | Promise<void>) | undefined;
  /** Called with the status code of each response to a counted request. */
  readonly onResponse?: ((sent: SentRequest, status: number) => void) | undefined;
}

/**
 * A transport that stops working at a crash point.
 *
 * From then on every request fails without reaching the API server, as if the process did not exist any more. This makes
 * a crash in the middle of a reconcile reproducible: code after the failed request still runs but has no effect.
 */
export class CrashingTransport implements Transport {
  /** The counted requests, in order. */
  readonly sent: SentRequest[] = [];
  /** Method and path of all requests. */
  readonly all: string[] = [];
  hasCrashed = false;
  readonly #inner: Transport;
  readonly #hooks: RequestHooks;
  readonly #onCrash: () => void;

  constructor(inner: Transport, hooks: RequestHooks, onCrash: () => void) {
    this.#inner = inner;
    this.#hooks = hooks;
    this.#onCrash = onCrash;
  }

  async send(request: Request): Promise<Response> {
    if (this.hasCrashed) throw connectionLost(request);
    const { method, path } = request;
    const body = typeof request.body === "string" ? request.body : Buffer.from(request.body ?? "").toString();
    const sent = { method, path, body };
    const { isCounted, crash, fault, onWrite } = this.#hooks;
    this.all.push(`${method} ${path}`);
    const failure = fault?.(sent);
    if (failure === "lost") throw connectionLost(request);
    if (failure !== undefined) return failureResponse(failure);
    if (!isCounted(sent)) return this.#inner.send(request);
    this.sent.push(sent);
    if (method !== "GET") await onWrite?.(sent);
    if (this.sent.length !== crash?.nth) return this.#forward(request, sent);
    if (crash.when === "after") await this.#forward(request, sent);
    this.hasCrashed = true;
    this.#onCrash();
    throw connectionLost(request);
  }

  async #forward(request: Request, sent: SentRequest): Promise<Response> {
    const response = await this.#inner.send(request);
    this.#hooks.onResponse?.(sent, response.status);
    return response;
  }
}

/** Reports whether a request only checks the permissions of the client. */
export function isAccessReview({ path }: SentRequest): boolean {
  return path.includes("selfsubjectaccessreviews") || path.includes("selfsubjectrulesreviews");
}

function failureResponse(status: number): Response {
  const text = JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message: "injected fault",
    code: status,
  });
  const pieces = [Buffer.from(text)];
  const body = { [Symbol.asyncIterator]: () => Readable.from(pieces)[Symbol.asyncIterator](), cancel: () => undefined };
  return { status, headers: { "content-type": "application/json" }, body };
}

function connectionLost({ method, path }: Request): NetworkError {
  return new NetworkError({ request: { method, path }, requestSent: true });
}
