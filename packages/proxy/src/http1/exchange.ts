import type { Timer } from "@homeostat/core";
import type { ProxyErrorReason } from "../observe/observer.ts";
import type { Destination, ForwardPlan, HoldPlan, RespondPlan, RoutePlan, Router } from "../router/route-plan.ts";
import type { AttemptEvent, AttemptResult } from "../upstream/balancer.ts";
import { ownResponse } from "./own-response.ts";
import type { RequestHead } from "./request-head.ts";
import { requestText } from "./request-text.ts";
import { responseText, switchText } from "./response-text.ts";
import type { ResponseHead } from "./response-head.ts";
import type { Services } from "./services.ts";
import type { ResponseReceiver, UpstreamConnection, UpstreamFailure } from "./upstream-connection.ts";

/** The client of an exchange. */
export interface ExchangeClient {
  readonly head: RequestHead;
  readonly router: Router;
  /** True if the body of the request has arrived completely. */
  readonly isRequestDone: boolean;
  /** True if the socket has not sent all that was written. */
  readonly hasUnsentBytes: boolean;
  /** Sends a text (latin1) and bytes to the client. Returns false if the socket is full until it is drained. */
  write(text: string, body: Buffer | undefined): boolean;
  /** Stops or continues to read the body of the request. */
  setBodyPaused(isPaused: boolean): void;
  /** Limits the time until the next call, or the time without a byte in either direction. */
  limitTime(ms: number, kind: "total" | "idle", now?: number): void;
  /** The exchange is complete. With `isLast`, the connection is closed. */
  exchangeEnded(isLast: boolean, now: number): void;
  /** Resets the connection: the response is incomplete. */
  reset(): void;
  /** Connects the socket of the client with that of the upstream. */
  startTunnel(upstream: UpstreamConnection, rest: Buffer, onClosed: () => void): void;
}

// Phases of an exchange.
const ended = 0;
/** Waits for its plan, or for the end of a delay. */
const planning = 1;
/** Waits for a connection. No byte was sent, so another target can be tried. */
const connecting = 2;
/** The request, or the first part of it, was sent. */
const sent = 3;
/** The head of the response was forwarded. */
const responding = 4;

/** Bytes of a body that are queued until the upstream is connected. */
const queuedBytesMax = 65_536;
/** Bodies up to this size are joined with the head in one text: one write of one piece is cheaper. */
const joinedBytesMax = 8_192;

/** A response of the proxy in place of the upstream's. */
interface Failure {
  readonly status: number;
  readonly reason: ProxyErrorReason;
  readonly text: string;
  /** Result of the attempt, if one is running. Default: the target failed. */
  readonly result?: AttemptResult;
}

const failures: Readonly<Record<UpstreamFailure, Failure>> = {
  "connect-failed": { status: 502, reason: "connect", text: "The upstream did not accept the connection." },
  "connect-timeout": { status: 504, reason: "connect", text: "The upstream did not accept the connection in time." },
  broken: { status: 502, reason: "upstream_broken", text: "The upstream closed the connection before it responded." },
  invalid: { status: 502, reason: "upstream_invalid", text: "The upstream sent an invalid response." },
};
/** The port became one of HTTP/2 after the client had connected. Its next connection is translated. */
const http2Only: Failure = {
  status: 502,
  reason: "protocol",
  text: "The upstream speaks HTTP/2 only since a change of its route table. Connect again.",
};
const overflow: Failure = { status: 503, reason: "overflow", text: "Too many requests wait for this workload." };

const idempotent: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * A request and its response: plan, attempt, one retry at most, response. One object serves all exchanges of a connection.
 *
 * A retry needs that the target has seen no byte of the request, or that the request is GET, HEAD or OPTIONS without a body and nothing was
 * answered. It goes to a target of the same plan, so a request for a sandbox never reaches the baseline this way.
 */
export class Exchange implements ResponseReceiver {
  readonly #client: ExchangeClient;
  readonly #services: Services;
  #phase = ended;
  #plan: ForwardPlan | undefined;
  #destination: Destination | undefined;
  #upstream: UpstreamConnection | undefined;
  #report: ((event: AttemptEvent) => void) | undefined;
  #tried: Set<string> | undefined;
  #target = "";
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #timer: Timer | undefined;
  #hold: AbortController | undefined;
  #isLast = false;
  /** The connection is closed after a response of the proxy. */
  #mustClose = false;
  #status = 0;
  #startedAt = 0;
  #overheadMs = 0;

  constructor(client: ExchangeClient, services: Services) {
    this.#client = client;
    this.#services = services;
  }

  /** Begins the exchange of the request whose head the client has received. `first` is the part of the body that arrived with it. */
  begin(first: Buffer | undefined): void {
    this.#startedAt = this.#services.deadlines.clock.monotonic();
    this.#phase = planning;
    this.#plan = undefined;
    this.#tried = undefined;
    this.#status = 0;
    this.#overheadMs = 0;
    this.#isLast = false;
    if (first !== undefined) this.#enqueue(first);
    this.#follow(this.#client.router.route(this.#client.head));
  }

  /** Forwards a part of the body of the request. */
  requestBody(chunk: Buffer): void {
    if (this.#phase === ended) return;
    if (this.#phase < sent) {
      this.#enqueue(chunk);
      if (this.#queuedBytes >= queuedBytesMax) this.#client.setBodyPaused(true);
      return;
    }
    if (this.#upstream?.writeChunk(chunk) === false) this.#client.setBodyPaused(true);
    if (this.#phase === sent && this.#client.isRequestDone)
      this.#client.limitTime(this.#services.limits.responseHeadMs, "total");
  }

  /** The body of the request is malformed. The upstream has seen a part of it at most. */
  requestMalformed(status: number, text: string): void {
    if (this.#phase === responding) this.#break("bad_request");
    else this.#fail({ status, reason: "bad_request", text, result: "cancelled" });
  }

  /** The socket of the client accepts more bytes. */
  clientDrained(): void {
    this.#upstream?.resume();
  }

  /** The client has left. */
  clientGone(): void {
    if (this.#phase === ended) return;
    this.#services.observer.failed("client_gone", this.#destination);
    this.#abandon("cancelled");
    this.#end();
  }

  /** The time limit has passed. */
  expire(): void {
    if (this.#phase === responding) this.#break("timeout");
    else if (this.#phase === sent && this.#client.isRequestDone)
      this.#fail({ status: 504, reason: "timeout", text: "The upstream did not respond in time." });
    else {
      const text = "The request body did not arrive in time.";
      this.#fail({ status: 408, reason: "timeout", text, result: "cancelled" });
    }
  }

  get hasUnsentBytes(): boolean {
    return this.#client.hasUnsentBytes;
  }

  upstreamConnected(): void {
    this.#send();
  }

  upstreamDrained(): void {
    this.#client.setBodyPaused(false);
  }

  interimResponse(head: ResponseHead): void {
    if (this.#client.head.isOld) return;
    this.#client.write(responseText(head, { isChunked: false, isLast: false, added: [] }), undefined);
  }

  switchedProtocols(head: ResponseHead, rest: Buffer): void {
    const { head: request, isRequestDone } = this.#client;
    const upstream = this.#upstream;
    if (upstream === undefined) return;
    if (!request.isUpgrade || !isRequestDone) {
      upstream.destroy();
      return this.upstreamFailed("invalid");
    }
    this.#status = 101;
    this.#phase = responding;
    this.#report?.("answered");
    this.#client.write(switchText(head, this.#plan?.responseHeaders ?? []), undefined);
    this.#client.startTunnel(upstream, rest, () => {
      this.#reportResult("ok");
      this.#end();
    });
  }

  responseHead(head: ResponseHead, body: Buffer, isComplete: boolean): void {
    const { head: request, isRequestDone } = this.#client;
    const { clock } = this.#services.deadlines;
    const answeredAt = clock.monotonic();
    this.#report?.("answered");
    this.#phase = responding;
    this.#status = head.status;
    const isUntilClose = this.#upstream?.isUntilClose === true;
    const isBodiless = request.method === "HEAD" || head.status === 204 || head.status === 304;
    const isChunked = head.isChunked && !isBodiless && !request.isOld;
    // A client that still sends its body may not read before it has sent all; the connection cannot be used again.
    this.#isLast = request.isLast || isUntilClose || !isRequestDone || this.#services.isDraining;
    const text = responseText(head, { isChunked, isLast: this.#isLast, added: this.#plan?.responseHeaders ?? [] });
    this.#write(text, body);
    const now = clock.monotonic();
    this.#overheadMs += now - answeredAt;
    if (!isComplete) this.#client.limitTime(this.#streamIdleMs(head), "idle", now);
  }

  responseBody(chunk: Buffer): void {
    this.#write("", chunk);
  }

  responseEnd(): void {
    const upstream = this.#upstream;
    this.#upstream = undefined;
    this.#reportResult("ok");
    const { isRequestDone, head } = this.#client;
    // First, so that the next request of the client finds the connection. After a refused upgrade, some servers still expect the other protocol.
    upstream?.finish(isRequestDone && !head.isUpgrade);
    this.#complete(this.#isLast || !isRequestDone);
  }

  upstreamFailed(failure: UpstreamFailure): void {
    const hasAnswer = this.#upstream?.hasAnswer === true;
    this.#upstream = undefined;
    const isConnect = failure === "connect-failed" || failure === "connect-timeout";
    this.#reportResult(isConnect ? "connect-failed" : "broken");
    if (this.#phase === responding) return this.#break(failure === "invalid" ? "upstream_invalid" : "upstream_broken");
    const { head } = this.#client;
    const isRepeatable = failure === "broken" && !hasAnswer && idempotent.has(head.method) && !hasBody(head);
    const { retriesMax } = this.#services.limits;
    if ((this.#tried?.size ?? 0) < retriesMax && (this.#phase === connecting || isRepeatable)) {
      this.#tried = new Set([this.#target]);
      return this.#attempt();
    }
    this.#fail(failures[failure]);
  }

  #follow(plan: RoutePlan): void {
    this.#destination = plan.destination;
    if (plan.type === "hold") return this.#wait(plan);
    if (plan.type === "forward") this.#plan = plan;
    if (plan.delayMs === 0) return this.#act(plan);
    this.#client.setBodyPaused(!this.#client.isRequestDone);
    this.#client.limitTime(Infinity, "total");
    this.#timer = this.#services.deadlines.clock.schedule(plan.delayMs, () => this.#act(plan));
  }

  #act(plan: ForwardPlan | RespondPlan): void {
    if (plan.type === "forward") return this.#attempt();
    if (plan.reason !== undefined) this.#services.observer.failed(plan.reason, plan.destination);
    this.#respond(plan.status, plan.headers, plan.body);
  }

  #wait(plan: HoldPlan): void {
    // Reading goes on if nothing but the end can arrive, which tells that the client left.
    this.#client.setBodyPaused(!this.#client.isRequestDone);
    this.#client.limitTime(Infinity, "total");
    const hold = new AbortController();
    this.#hold = hold;
    void this.#awaitPlan(plan, hold);
  }

  async #awaitPlan(plan: HoldPlan, hold: AbortController): Promise<void> {
    let next: ForwardPlan | RespondPlan;
    try {
      next = await plan.wait(hold.signal, this.#queuedBytes);
    } catch {
      // Only an abort rejects, and then the exchange has ended.
      return;
    }
    if (this.#hold !== hold) return;
    this.#hold = undefined;
    this.#follow(next);
  }

  #attempt(): void {
    const plan = this.#plan;
    if (plan === undefined) return;
    if (plan.upstreamProtocol !== "http1") {
      this.#mustClose = true;
      return this.#fail(http2Only);
    }
    const { balancer, pool } = this.#services;
    const target = balancer.choose(plan.workload, plan.targets, this.#tried);
    if (target === undefined) return this.#fail(overflow);
    const { method, isOld } = this.#client.head;
    const upstream = pool.take(target, plan.upstreamTls);
    this.#target = target;
    this.#report = balancer.begin(plan.workload, target);
    this.#upstream = upstream;
    this.#phase = connecting;
    upstream.start(this, method, isOld);
    if (upstream.isConnected) this.#send();
    else this.#client.limitTime(Infinity, "total");
  }

  #send(): void {
    const [plan, upstream, client] = [this.#plan, this.#upstream, this.#client];
    if (plan === undefined || upstream === undefined) return;
    this.#phase = sent;
    let text = requestText(client.head, plan, this.#target);
    const queue = this.#queue;
    const [first] = queue;
    let isWritable: boolean;
    if (first === undefined) isWritable = upstream.write(text, queue);
    else {
      if (queue.length === 1 && first.length <= joinedBytesMax) {
        text += first.toString("latin1");
        queue.length = 0;
      }
      isWritable = upstream.write(text, queue);
      this.#queue = [];
      this.#queuedBytes = 0;
    }
    client.setBodyPaused(!isWritable);
    const { deadlines, limits } = this.#services;
    const now = deadlines.clock.monotonic();
    this.#overheadMs = now - this.#startedAt;
    if (client.isRequestDone) client.limitTime(limits.responseHeadMs, "total", now);
    else client.limitTime(limits.streamIdleMs, "idle", now);
  }

  #write(text: string, body: Buffer): void {
    let isWritable: boolean;
    if (text !== "" && body.length <= joinedBytesMax) isWritable = this.#client.write("", joined(text, body));
    else isWritable = this.#client.write(text, body);
    if (!isWritable) this.#upstream?.pause();
  }

  /** Returns the time that may pass between the bytes of a response. Server-sent events come seldom. */
  #streamIdleMs({ headers }: ResponseHead): number {
    const { streamIdleMs, longStreamIdleMs } = this.#services.limits;
    const type = headers.get("content-type");
    return typeof type === "string" && /^text\/event-stream\b/i.test(type) ? longStreamIdleMs : streamIdleMs;
  }

  /** Responds instead of the upstream. */
  #fail({ status, reason, text, result = "broken" }: Failure): void {
    this.#services.observer.failed(reason, this.#destination);
    this.#abandon(result);
    this.#respond(status, this.#plan?.responseHeaders ?? [], `${text}\n`);
  }

  #respond(status: number, headers: RespondPlan["headers"], body: string): void {
    const { head, isRequestDone } = this.#client;
    const isLast = head.isLast || !isRequestDone || this.#mustClose || this.#services.isDraining;
    this.#status = status;
    this.#client.write(ownResponse({ status, headers, body, isHead: head.method === "HEAD", isLast }), undefined);
    this.#complete(isLast);
  }

  /** Ends an exchange whose response is incomplete, in a way that the client notices. */
  #break(reason: ProxyErrorReason): void {
    this.#services.observer.failed(reason, this.#destination);
    this.#abandon("broken");
    this.#end();
    this.#client.reset();
  }

  /** Closes the connection to the upstream, if there is one. */
  #abandon(result: AttemptResult): void {
    this.#upstream?.destroy();
    this.#upstream = undefined;
    this.#reportResult(result);
  }

  #reportResult(result: AttemptResult): void {
    this.#report?.(result);
    this.#report = undefined;
  }

  #complete(isLast: boolean): void {
    this.#client.exchangeEnded(isLast, this.#end());
  }

  /** Ends the exchange and returns the time. */
  #end(): number {
    this.#phase = ended;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#hold?.abort();
    this.#hold = undefined;
    if (this.#queuedBytes > 0) {
      this.#queue = [];
      this.#queuedBytes = 0;
    }
    const { observer, deadlines } = this.#services;
    const destination = this.#destination;
    const now = deadlines.clock.monotonic();
    if (destination === undefined) return now;
    this.#destination = undefined;
    observer.requestEnded({
      destination,
      protocol: "http1",
      method: this.#client.head.method,
      status: this.#status,
      durationMs: now - this.#startedAt,
      overheadMs: this.#overheadMs,
    });
    return now;
  }

  #enqueue(chunk: Buffer): void {
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
  }
}

function hasBody(head: RequestHead): boolean {
  return head.isChunked || head.contentLength > 0;
}

/** Returns a head and a body in one buffer. */
function joined(text: string, body: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(text.length + body.length);
  bytes.write(text, "latin1");
  body.copy(bytes, text.length);
  return bytes;
}
