import type { Timer } from "@homeostat/core";
import type { FieldTable } from "../hpack/field-table.ts";
import { encodeFields } from "../hpack/literal-writer.ts";
import type { Destination, ForwardPlan, HoldPlan, RespondPlan, RoutePlan } from "../router/route-plan.ts";
import type { AttemptEvent, AttemptResult } from "../upstream/balancer.ts";
import type { ClientConnection } from "./client-connection.ts";
import type { EngineContext } from "./engine-context.ts";
import { Flow, type FlowOwner } from "./flow.ts";
import {
  grpcErrorFields,
  grpcErrorTrailers,
  plainErrorFields,
  type ProxyErrorCause,
  proxyErrors,
} from "./error-responses.ts";
import { writeAdditions, writeRequestBlock } from "./head-writer.ts";
import { errorCodes } from "./protocol.ts";
import { readGrpcTimeout, type RequestHead } from "./request-head.ts";
import { readResponseHead, trailersProblem } from "./response-head.ts";
import type { UpstreamConnection } from "./upstream-connection.ts";

/** Reason to send a request to another target. */
export type RetryCause =
  /** The connection was not established: no byte of the request has left. */
  | "connect-failed"
  /** The upstream says that it has not processed the request. */
  | "refused"
  /** The connection broke after the request was sent. Only requests without side effects are repeated. */
  | "lost";

const repeatableMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * A request and its response: a stream of a client, and a stream of an upstream once a target is chosen.
 *
 *   routed ── hold or delay ──> connecting ──> forwarded ──> response head ──> ended
 *                                   ^              │
 *                                   └── retry ─────┘  at most once, and only before the response head
 *
 * Either side can end the stream at any moment; `#end` disconnects the other one. Data of a request that arrives before `forwarded` waits in its flow.
 */
export class ProxyStream implements FlowOwner {
  readonly request: Flow;
  readonly response: Flow;
  readonly head: RequestHead;
  readonly client: ClientConnection;
  readonly id: number;
  readonly #context: EngineContext;
  readonly #startedMs: number;
  #destination: Destination | undefined;
  #plan: ForwardPlan | undefined;
  /** Header block of the request, kept for a retry until the response starts. */
  #block: Buffer | undefined;
  #upstream: UpstreamConnection | undefined;
  #upstreamId = 0;
  #target = "";
  #tried: Set<string> | undefined;
  #retries = 0;
  #endAttempt: ((event: AttemptEvent) => void) | undefined;
  #hold: AbortController | undefined;
  #holdWorkload: string | undefined;
  #delay: Timer | undefined;
  #status = 0;
  #hasResponse = false;
  #isOwnResponse = false;
  #isEnded = false;
  #overheadMs = 0;
  #isLong: boolean;
  #activeMs: number;
  /** Time at which the response head must have arrived; 0 if there is no limit yet. */
  #dueMs = 0;
  /** Time at which a gRPC call is over for its client; 0 without `grpc-timeout`. */
  #callEndMs = 0;

  constructor(context: EngineContext, client: ClientConnection, id: number, head: RequestHead) {
    this.#context = context;
    context.streams += 1;
    this.client = client;
    this.id = id;
    this.head = head;
    this.#startedMs = context.clock.monotonic();
    this.#activeMs = context.coarseMs;
    this.#isLong = head.isUpgrade;
    this.request = new Flow(this);
    this.request.setSource(client, id);
    this.request.declaredLeft = head.contentLength;
    this.response = new Flow(this);
    this.response.setSink(client, id, client.peerInitialWindow);
  }

  // Steps of the request

  /** Routes the request. `table` has its fields, valid during the call. */
  start(table: FieldTable, plan: RoutePlan): void {
    const { head } = this;
    this.#destination = plan.destination;
    if (plan.type === "forward") {
      this.#plan = plan;
      if (head.isGrpc) this.#setGrpcDeadline(table);
      this.#block = writeRequestBlock(table, plan, head.path);
      head.headers.detach();
      if (plan.delayMs > 0) this.#wait(plan.delayMs, () => this.#connect());
      else this.#connect();
      return;
    }
    const copy = plan.type === "hold" ? table.copy() : undefined;
    head.headers.detach(copy);
    if (copy !== undefined && plan.type === "hold") this.#holdRequest(plan, copy);
    else if (plan.type === "respond") this.#respondAfterDelay(plan);
  }

  #setGrpcDeadline(table: FieldTable): void {
    const timeoutMs = readGrpcTimeout(table.get("grpc-timeout"));
    if (timeoutMs === undefined) return;
    // From the exact start: the coarse time may be half a second old, which is more than many calls have.
    this.#callEndMs = this.#startedMs + timeoutMs;
    this.#dueMs = this.#callEndMs;
  }

  #holdRequest(plan: HoldPlan, table: FieldTable): void {
    const hold = new AbortController();
    this.#hold = hold;
    this.#holdWorkload = plan.workload;
    void this.#continueAfterHold(plan, hold.signal, table);
  }

  async #continueAfterHold(plan: HoldPlan, signal: AbortSignal, table: FieldTable): Promise<void> {
    let next: ForwardPlan | RespondPlan;
    try {
      next = await plan.wait(signal, 0, this.client.share);
    } catch {
      // Only an abort rejects, after the stream has ended. Anything else is a fault of the router.
      return this.fail("unavailable");
    }
    if (this.#isEnded) return;
    this.#endHold();
    this.start(table, next);
  }

  #endHold(): void {
    if (this.#holdWorkload !== undefined) this.#context.held.release(this.#holdWorkload, this.request.queuedBytes);
    this.#hold = undefined;
    this.#holdWorkload = undefined;
  }

  #wait(delayMs: number, then: () => void): void {
    this.#delay = this.#context.clock.schedule(delayMs, () => {
      this.#delay = undefined;
      then();
    });
  }

  #respondAfterDelay(plan: RespondPlan): void {
    const { destination, grpcStatus, status, headers, body, reason } = plan;
    const respond = (): void => {
      if (reason !== undefined) this.#context.observer.failed(reason, destination);
      this.#respond(status, grpcStatus, headers, body);
    };
    if (plan.delayMs > 0) this.#wait(plan.delayMs, respond);
    else respond();
  }

  #connect(): void {
    const plan = this.#plan;
    if (plan === undefined) return;
    if (plan.upstreamProtocol !== "http2") return this.fail("protocol");
    const { balancer, pool } = this.#context;
    const { workload } = plan;
    const target = balancer.choose(workload, plan.targets, this.#tried, this.client.share);
    if (target === undefined) return this.fail("overflow");
    this.#target = target;
    this.#endAttempt = balancer.begin(workload, target, this.client.share);
    this.request.keepForReplay();
    pool.connect(target, this);
  }

  /** Sends the request on a connection that is established. */
  forward(upstream: UpstreamConnection): void {
    const block = this.#block;
    if (this.#isEnded || block === undefined) return;
    if (this.head.isUpgrade && !upstream.allowsExtendedConnect) return this.fail("no-extended-connect");
    this.#upstream = upstream;
    this.#upstreamId = upstream.open(this);
    const { request, response } = this;
    request.setSink(upstream, this.#upstreamId, upstream.peerInitialWindow);
    response.setSource(upstream, this.#upstreamId);
    const isEnd = request.isOnlyEnd;
    upstream.sendHeaders(this.#upstreamId, block, 0, block.length, isEnd);
    if (this.#retries === 0) this.#overheadMs = this.#context.clock.monotonic() - this.#startedMs;
    if (isEnd) {
      request.isEndSent = true;
      this.flowEnded();
    } else request.pump();
  }

  // Frames of the client

  requestData(bytes: Buffer, start: number, end: number, isEnd: boolean, padding: number): void {
    this.#activeMs = this.#context.coarseMs;
    if (this.#holdWorkload !== undefined && !this.#context.held.take(this.#holdWorkload, end - start)) {
      this.request.data(bytes, start, end, isEnd, padding);
      return this.fail("hold_overflow");
    }
    this.request.data(bytes, start, end, isEnd, padding);
  }

  requestTrailers(table: FieldTable): void {
    this.#activeMs = this.#context.coarseMs;
    const problem = trailersProblem(table);
    if (problem !== undefined || this.request.declaredLeft > 0 || table.isTooLarge) return this.malformed();
    this.#addTrailers(this.request, table);
  }

  #addTrailers(flow: Flow, table: FieldTable): void {
    if (table.count === 0) flow.data(Buffer.alloc(0), 0, 0, true, 0);
    else flow.trailers(Buffer.from(table.bytes.subarray(table.startAt(0), table.endAt(table.count - 1))));
  }

  /** The client sent something that violates the protocol. */
  malformed(code: number = errorCodes.protocolError): void {
    if (this.#isEnded) return;
    this.#context.observer.failed("bad_request", this.#destination);
    this.client.sendReset(this.id, code);
    this.#end(errorCodes.cancel, "cancelled");
  }

  /** The client reset the stream, or left. */
  clientGone(code: number): void {
    if (this.#isEnded) return;
    this.#context.observer.failed("client_gone", this.#destination);
    this.#end(code, "cancelled");
  }

  // Frames of the upstream

  responseHeaders(table: FieldTable, isEnd: boolean): void {
    this.#activeMs = this.#context.coarseMs;
    if (this.#hasResponse) return this.#responseTrailers(table, isEnd);
    const head = table.isTooLarge ? "the head is too large" : readResponseHead(table);
    if (typeof head === "string") return this.invalidResponse();
    const { bytes } = table;
    const start = table.startAt(0);
    const end = table.endAt(table.count - 1);
    if (head.status < 200) {
      if (isEnd) return this.invalidResponse();
      this.client.sendHeaders(this.id, bytes, start, end, false);
      return;
    }
    const hasNoBody = this.head.method === "HEAD" || head.status === 304 || head.status === 204;
    if (isEnd && head.contentLength > 0 && !hasNoBody) return this.invalidResponse();
    this.response.declaredLeft = hasNoBody ? 0 : this.head.isUpgrade ? -1 : head.contentLength;
    this.#beginResponse(head.status);
    if (head.isEventStream) this.#isLong = true;
    const additions = writeAdditions(this.#plan?.responseHeaders ?? []);
    this.client.sendHeaders(this.id, bytes, start, end, isEnd, additions);
    if (!isEnd) return;
    this.response.isEnded = true;
    this.response.isEndSent = true;
    this.flowEnded();
  }

  #beginResponse(status: number): void {
    this.#hasResponse = true;
    this.#status = status;
    this.#endAttempt?.("answered");
    this.#dueMs = 0;
    this.#block = undefined;
    this.request.endReplay();
  }

  #responseTrailers(table: FieldTable, isEnd: boolean): void {
    if (!isEnd || table.isTooLarge || trailersProblem(table) !== undefined) return this.invalidResponse();
    if (this.response.declaredLeft > 0) return this.invalidResponse();
    this.#addTrailers(this.response, table);
  }

  responseData(bytes: Buffer, start: number, end: number, isEnd: boolean, padding: number): void {
    this.#activeMs = this.#context.coarseMs;
    if (!this.#hasResponse) return this.invalidResponse();
    this.response.data(bytes, start, end, isEnd, padding);
  }

  /** The response violates the protocol. */
  invalidResponse(): void {
    this.fail("upstream_invalid");
  }

  /** The upstream reset the stream. */
  upstreamReset(code: number): void {
    if (this.#isEnded) return;
    this.#upstream = undefined;
    if (code === errorCodes.refusedStream && this.#retry("refused")) return;
    if (this.response.isEnded) {
      // The response is complete, and the upstream does not want the rest of the request. What waits is still delivered.
      this.#isOwnResponse = true;
      if (this.response.isEndSent) this.flowEnded();
      return;
    }
    // Servers reset calls whose deadline has passed. The client must not take that for a cancellation: its own timer may be late.
    if (this.#callEndMs !== 0 && this.#context.clock.monotonic() >= this.#callEndMs) return this.fail("timeout");
    this.client.sendReset(this.id, code);
    this.#end(errorCodes.cancel, "ok");
  }

  /** The request could not be sent, or its connection broke. */
  upstreamGone(cause: RetryCause): void {
    if (this.#isEnded) return;
    this.#upstream = undefined;
    if (this.response.isEnded) {
      this.#isOwnResponse = true;
      if (this.response.isEndSent) this.flowEnded();
      return;
    }
    if (this.#retry(cause)) return;
    this.#endAttempt?.(cause === "connect-failed" ? "connect-failed" : "broken");
    this.fail(cause === "connect-failed" ? "connect" : "upstream_broken");
  }

  #retry(cause: RetryCause): boolean {
    const isAllowed = cause !== "lost" || repeatableMethods.has(this.head.method);
    if (!isAllowed || this.#retries >= this.#context.limits.retriesMax || this.#hasResponse || !this.request.canReplay)
      return false;
    this.#retries += 1;
    this.#endAttempt?.(cause === "connect-failed" ? "connect-failed" : cause === "lost" ? "broken" : "ok");
    (this.#tried ??= new Set()).add(this.#target);
    this.request.rewind();
    this.#connect();
    return true;
  }

  // The end

  flowEnded(): void {
    if (this.#isEnded) return;
    const { request, response } = this;
    if (request.isEndSent && !this.#hasResponse && !this.head.isGrpc && !this.head.isUpgrade)
      this.#dueMs = this.#context.coarseMs + this.#context.limits.responseHeadMs;
    if (!response.isEndSent) return;
    if (this.#isOwnResponse) {
      if (!request.isEnded) this.client.sendReset(this.id, errorCodes.noError);
      this.#end(errorCodes.cancel, "ok");
    } else if (request.isEndSent) {
      this.#upstream?.forget(this.#upstreamId);
      this.#upstream = undefined;
      this.#end(errorCodes.noError, "ok");
    }
  }

  /** Ends the stream because of a problem of the proxy or of the upstream. */
  fail(cause: ProxyErrorCause): void {
    if (this.#isEnded) return;
    const { reason, status, grpcStatus, body } = proxyErrors[cause];
    this.#context.observer.failed(reason, this.#destination);
    this.#endAttempt?.(cause === "upstream_invalid" ? "broken" : "ok");
    if (!this.#hasResponse) this.#respond(status, grpcStatus, [], body);
    else if (this.head.isGrpc && !this.response.isEnded) this.#endCall(grpcStatus, body);
    else {
      this.client.sendReset(this.id, errorCodes.internalError);
      this.#end(errorCodes.cancel, "broken");
    }
  }

  /**
   * Ends a gRPC call whose response has begun with a status of the proxy. Clients would report a reset as an internal error, which tells
   * callers not to try again.
   */
  #endCall(grpcStatus: number, body: string): void {
    this.#disconnect(errorCodes.cancel);
    this.#isOwnResponse = true;
    this.response.trailers(encodeFields(grpcErrorTrailers(grpcStatus, body)));
  }

  #respond(status: number, grpcStatus: number, headers: readonly (readonly [string, string])[], body: string): void {
    this.#disconnect(errorCodes.cancel);
    this.#beginResponse(status);
    this.#isOwnResponse = true;
    const { client, id, head, response } = this;
    const isGrpc = head.isGrpc;
    const hasBody = !isGrpc && body !== "" && head.method !== "HEAD" && status !== 204 && status !== 304;
    const fields = isGrpc ? grpcErrorFields(grpcStatus, body, headers) : plainErrorFields(status, body, headers);
    const block = encodeFields(fields);
    client.sendHeaders(id, block, 0, block.length, !hasBody);
    if (hasBody) return response.own(Buffer.from(body, "latin1"));
    response.isEnded = true;
    response.isEndSent = true;
    this.flowEnded();
  }

  /** Leaves the upstream, if there is one. */
  #disconnect(code: number): void {
    this.#delay?.[Symbol.dispose]();
    this.#delay = undefined;
    const hold = this.#hold;
    this.#endHold();
    hold?.abort();
    if (this.#upstream !== undefined) {
      this.#upstream.unblock(this.request);
      this.#upstream.reset(this.#upstreamId, code);
      this.#upstream = undefined;
    } else if (this.#plan !== undefined && this.#block !== undefined) this.#context.pool.cancel(this.#target, this);
  }

  #end(upstreamCode: number, result: AttemptResult): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#context.streams -= 1;
    this.#disconnect(upstreamCode);
    this.#endAttempt?.(result);
    this.client.forget(this.id, { isComplete: this.response.isEndSent });
    this.client.unblock(this.response);
    this.request.stop();
    this.response.stop();
    if (this.#destination === undefined) return;
    const { clock, observer } = this.#context;
    observer.requestEnded({
      destination: this.#destination,
      protocol: "http2",
      method: this.head.method,
      status: this.#status,
      durationMs: clock.monotonic() - this.#startedMs,
      overheadMs: this.#overheadMs,
    });
  }

  /** Ends the stream if a time limit has passed. Called about twice per second. */
  checkTime(nowMs: number): void {
    if (this.#hold !== undefined || this.#delay !== undefined) return;
    const { limits } = this.#context;
    if (this.#dueMs !== 0 && nowMs >= this.#dueMs && !this.#hasResponse) return this.fail("timeout");
    if (nowMs - this.#activeMs < (this.#isLong ? limits.longStreamIdleMs : limits.streamIdleMs)) return;
    this.fail("timeout");
  }
}
