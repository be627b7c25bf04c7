import { pipeline } from "node:stream/promises";
import type { Clock, Timer } from "@homeostat/core";
import { grpcErrorFields, plainErrorFields, type ProxyErrorCause, proxyErrors } from "../http2/error-responses.ts";
import type { ProxyObserver } from "../observe/observer.ts";
import type { ForwardPlan, RespondPlan, Router } from "../router/route-plan.ts";
import type { AttemptResult, Balancer } from "../upstream/balancer.ts";
import type { Exchange, Fields } from "./exchange.ts";
import {
  NoExtendedConnectError,
  type SafeUpstreams,
  UnreachableError,
  type UpstreamResponse,
} from "./safe-upstream.ts";

/** Objects that the exchanges of an engine share. */
export interface SafeContext {
  readonly clock: Clock;
  readonly balancer: Balancer;
  readonly observer: ProxyObserver;
  readonly upstreams: SafeUpstreams;
  /** Time from the end of a request to the head of its response. gRPC has no such limit. */
  readonly responseHeadMs: number;
}

/** Routes and forwards a request, from its head to the end of its response. Never rejects. */
export async function serve(context: SafeContext, router: Router, exchange: Exchange): Promise<void> {
  const startedMs = context.clock.monotonic();
  const { request } = exchange;
  const routed = router.route(request);
  let status = 0;
  try {
    if (request.method === "CONNECT" && !request.isUpgrade) status = respondError(context, exchange, "connect_method");
    else {
      const plan = routed.type === "hold" ? await routed.wait(exchange.gone) : routed;
      if (plan.delayMs > 0) await context.clock.sleep(plan.delayMs, exchange.gone);
      status = plan.type === "respond" ? respond(context, exchange, plan) : await forward(context, exchange, plan);
    }
  } catch {
    // Waits reject when the client leaves; a broken response has reset the exchange.
    if (exchange.gone.aborted) context.observer.failed("client_gone", routed.destination);
  }
  const durationMs = context.clock.monotonic() - startedMs;
  const { destination } = routed;
  context.observer.requestEnded({
    destination,
    protocol: request.protocol,
    method: request.method,
    status,
    durationMs,
    overheadMs: 0,
  });
}

async function forward(context: SafeContext, exchange: Exchange, plan: ForwardPlan): Promise<number> {
  const { balancer } = context;
  const tried = new Set<string>();
  for (;;) {
    const target = balancer.choose(plan.workload, plan.targets, tried);
    if (target === undefined) return respondError(context, exchange, "overflow");
    const end = balancer.begin(plan.workload, target);
    let result: AttemptResult = "ok";
    const deadline = new ResponseDeadline(context, exchange);
    try {
      const response = await context.upstreams.send({
        target,
        protocol: plan.upstreamProtocol,
        method: exchange.request.method,
        path: plan.path,
        authority: exchange.request.authority,
        connectProtocol: exchange.connectProtocol,
        fields: edited(exchange.fields, plan.edits),
        hasBody: exchange.hasBody,
        body: exchange.body,
        trailers: () => exchange.trailers(),
        signal: deadline.signal,
        inform: (head) => exchange.inform(head),
      });
      deadline.stop();
      end("answered");
      return await deliver(exchange, plan, response);
    } catch (error) {
      result = exchange.gone.aborted ? "cancelled" : error instanceof UnreachableError ? "connect-failed" : "broken";
      if (exchange.gone.aborted) throw error;
      if (error instanceof ResponseBrokenError) {
        context.observer.failed("upstream_broken", plan.destination);
        exchange.reset();
        return error.status;
      }
      if (deadline.isOver) return respondError(context, exchange, "timeout");
      if (error instanceof NoExtendedConnectError) return respondError(context, exchange, "no-extended-connect");
      const isRetried = error instanceof UnreachableError && tried.size === 0;
      if (!isRetried)
        return respondError(context, exchange, error instanceof UnreachableError ? "connect" : "upstream_broken");
      tried.add(target);
    } finally {
      deadline.stop();
      end(result);
    }
  }
}

/** The time limit of a response head. It begins when the request has ended. */
class ResponseDeadline {
  readonly signal: AbortSignal;
  readonly #over = new AbortController();
  #timer: Timer | undefined;
  #isStopped = false;

  constructor({ clock, responseHeadMs }: SafeContext, { gone, request, hasBody, body }: Exchange) {
    this.signal = AbortSignal.any([gone, this.#over.signal]);
    if (request.isGrpc || request.isUpgrade) return;
    const begin = (): void => {
      if (!this.#isStopped) this.#timer = clock.schedule(responseHeadMs, () => this.#over.abort());
    };
    if (hasBody) body.once("end", begin);
    else begin();
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.[Symbol.dispose]();
  }
}

/** A response broke after its head was sent. */
class ResponseBrokenError extends Error {
  readonly status: number;

  constructor(status: number, options: ErrorOptions) {
    super("the response of the upstream broke", options);
    this.status = status;
  }
}

async function deliver(exchange: Exchange, plan: ForwardPlan, response: UpstreamResponse): Promise<number> {
  const { head, body, isEnd } = response;
  const { status } = head;
  const sink = exchange.respond({ status, fields: [...head.fields, ...plan.responseHeaders] }, { isEnd });
  if (sink === undefined) {
    body.resume();
    return status;
  }
  body.once("end", () => {
    const trailers = response.trailers();
    if (trailers.length > 0) exchange.setTrailers(trailers);
  });
  try {
    await pipeline(body, sink);
  } catch (error) {
    throw new ResponseBrokenError(status, { cause: error });
  }
  return status;
}

function edited(fields: Fields, { remove, set }: ForwardPlan["edits"]): Fields {
  const dropped = new Set([...remove, ...set.map(([name]) => name)]);
  return [...fields.filter(([name]) => !dropped.has(name)), ...set];
}

function respondError(context: SafeContext, exchange: Exchange, cause: ProxyErrorCause): number {
  const { reason, status, grpcStatus, body } = proxyErrors[cause];
  context.observer.failed(reason, undefined);
  return send(exchange, { status, grpcStatus, headers: [], body });
}

function respond({ observer }: SafeContext, exchange: Exchange, plan: RespondPlan): number {
  if (plan.reason !== undefined) observer.failed(plan.reason, plan.destination);
  return send(exchange, plan);
}

function send(exchange: Exchange, plan: Pick<RespondPlan, "status" | "grpcStatus" | "headers" | "body">): number {
  const { isGrpc, method } = exchange.request;
  const { status, grpcStatus, headers, body } = plan;
  const fields = isGrpc ? grpcErrorFields(grpcStatus, body, headers) : plainErrorFields(status, body, headers);
  const isEnd = isGrpc || body === "" || method === "HEAD";
  const head = { status: isGrpc ? 200 : status, fields: fields.filter(([name]) => !name.startsWith(":")) };
  exchange.respond(head, { isEnd })?.end(body, "latin1");
  return head.status;
}
