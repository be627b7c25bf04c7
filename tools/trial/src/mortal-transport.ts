import { Readable } from "node:stream";
import type { Request, Response, Transport } from "@homeostat/client";
import { NetworkError } from "@homeostat/core";

/** A request that an operator has sent. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** When a process dies: with which of its requests, and whether that still reaches the server. */
export interface CrashPoint {
  /** Counted from 1. */
  readonly nth: number;
  readonly when: "before" | "after";
}

/** What becomes of a request instead of an answer: it gets lost, or is answered with this status. */
export type Fault = "lost" | number;

/** How a process lives with its server, and how it dies. */
export interface Life {
  /** Which requests are steps of its work; the others only follow the cluster. */
  readonly isCounted: (sent: Sent) => boolean;
  readonly crash?: CrashPoint | undefined;
  /** What goes wrong with a request, if something does. */
  readonly fault?: ((sent: Sent) => Fault | undefined) | undefined;
  /** Told of every write that is a step, before it is sent. */
  readonly onWrite?: ((sent: Sent) => void | Promise<void>) | undefined;
  /** Told of every answer to a step. */
  readonly onAnswer?: ((sent: Sent, status: number) => void) | undefined;
}

/** A way to the server that a process loses when it dies. */
export class MortalTransport implements Transport {
  /** The steps of its work. */
  readonly sent: Sent[] = [];
  /** Method and path of all requests, with those that only follow the cluster. */
  readonly all: string[] = [];
  isDead = false;
  readonly #inner: Transport;
  readonly #life: Life;
  readonly #onDeath: () => void;

  constructor(inner: Transport, life: Life, onDeath: () => void) {
    this.#inner = inner;
    this.#life = life;
    this.#onDeath = onDeath;
  }

  async send(request: Request): Promise<Response> {
    if (this.isDead) throw lost(request);
    const { method, path } = request;
    const body = typeof request.body === "string" ? request.body : Buffer.from(request.body ?? "").toString();
    const sent = { method, path, body };
    const { isCounted, crash, fault, onWrite } = this.#life;
    this.all.push(`${method} ${path}`);
    const trouble = fault?.(sent);
    if (trouble === "lost") throw lost(request);
    if (trouble !== undefined) return refusal(trouble);
    if (!isCounted(sent)) return this.#inner.send(request);
    this.sent.push(sent);
    if (method !== "GET") await onWrite?.(sent);
    if (this.sent.length !== crash?.nth) return this.#pass(request, sent);
    if (crash.when === "after") await this.#pass(request, sent);
    this.isDead = true;
    this.#onDeath();
    throw lost(request);
  }

  async #pass(request: Request, sent: Sent): Promise<Response> {
    const answer = await this.#inner.send(request);
    this.#life.onAnswer?.(sent, answer.status);
    return answer;
  }
}

/** Whether a request only asks what may be done. */
export function asksForRights({ path }: Sent): boolean {
  return path.includes("selfsubjectaccessreviews") || path.includes("selfsubjectrulesreviews");
}

/** What an API server answers that cannot do what it is asked for. */
function refusal(status: number): Response {
  const text = JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message: "not now",
    code: status,
  });
  const pieces = [Buffer.from(text)];
  const body = { [Symbol.asyncIterator]: () => Readable.from(pieces)[Symbol.asyncIterator](), cancel: () => undefined };
  return { status, headers: { "content-type": "application/json" }, body };
}

function lost({ method, path }: Request): NetworkError {
  return new NetworkError({ request: { method, path }, requestSent: true });
}
