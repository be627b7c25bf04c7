import { pipeline } from "node:stream/promises";
import type { Clock } from "@homeostat/core";
import { grpcErrorFields, plainErrorFields, type ProxyErrorCause, proxyErrors } from "../http2/error-responses.ts";
import type { ProxyLimits } from "../limits/limits.ts";
import type { ProxyObserver } from "../observe/observer.ts";
import type { ForwardPlan, RespondPlan, Router } from "../router/route-plan.ts";
import type { AttemptResult, Balancer } from "../upstream/balancer.ts";
import type { Exchange, Fields } from "./exchange.ts";
import {
  NoExtendedConnectError,
  RefusedError,
  type SafeUpstreams,
  UnreachableError,
  type UpstreamResponse,
} from "./safe-upstream.ts";
import { TimeLimits } from "./time-limits.ts";

/** Objects that the exchanges of an engine share. */
export interface SafeContext {
  readonly clock: Clock;
  readonly balancer: Balancer;
  readonly observer: ProxyObserver;
  readonly upstreams: SafeUpstreams;
  readonly limits: ProxyLimits;
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
      const plan = routed.type === "hold" ? await routed.wait(exchange.gone, 0, exchange.share) : routed;
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
    const target = balancer.choose(plan.workload, plan.targets, tried, exchange.share);
    if (target === undefined) return respondError(context, exchange, "overflow");
    const end = balancer.begin(plan.workload, target, exchange.share);
    let result: AttemptResult = "ok";
    const time = new TimeLimits(context.clock, context.limits, exchange);
    try {
      const response = await context.upstreams.send({
        target,
        protocol: plan.upstreamProtocol,
        tls: plan.upstreamTls,
        method: exchange.request.method,
        path: plan.path,
        authority: exchange.request.authority,
        connectProtocol: exchange.connectProtocol,
        fields: edited(exchange.fields, plan.edits),
        hasBody: exchange.hasBody,
        body: exchange.body,
        trailers: () => exchange.trailers(),
        signal: time.signal,
        touch: time.touch,
        inform: (head) => exchange.inform(head),
      });
      time.answered(response.head.fields.find(([name]) => name === "content-type")?.[1]);
      end("answered");
      return await deliver(exchange, plan, response, time);
    } catch (error) {
      // A response that is broken off for its time limit ends the exchange as well.
      const isGone = exchange.gone.aborted && !time.isOver;
      result = isGone ? "cancelled" : error instanceof UnreachableError ? "connect-failed" : "broken";
      if (isGone) throw error;
      if (error instanceof ResponseBrokenError) {
        context.observer.failed(time.isOver ? "timeout" : "upstream_broken", plan.destination);
        exchange.reset();
        return error.status;
      }
      if (time.isOver || time.isCallOver) return respondError(context, exchange, "timeout");
      if (error instanceof NoExtendedConnectError) return respondError(context, exchange, "no-extended-connect");
      if (tried.size >= context.limits.retriesMax || !isRepeatable(exchange, error))
        return respondError(context, exchange, error instanceof UnreachableError ? "connect" : "upstream_broken");
      tried.add(target);
    } finally {
      time.stop();
      end(result);
    }
  }
}

const repeatableMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Reports whether a request may be sent to another target: no byte of it was sent, or the upstream has not processed it, or it is GET, HEAD or
 * OPTIONS without a body. The body of a request that was sent is gone.
 */
function isRepeatable({ request, hasBody }: Exchange, error: unknown): boolean {
  if (error instanceof UnreachableError) return true;
  if (hasBody) return false;
  return error instanceof RefusedError || (repeatableMethods.has(request.method) && !request.isUpgrade);
}

/** A response broke after its head was sent. */
class ResponseBrokenError extends Error {
  readonly status: number;

  constructor(status: number, options: ErrorOptions) {
    super("the response of the upstream broke", options);
    this.status = status;
  }
}

async function deliver(
  exchange: Exchange,
  plan: ForwardPlan,
  response: UpstreamResponse,
  time: TimeLimits,
): Promise<number> {
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
  // Not the signal of the pipeline: it would end the response like one that the client has left.
  time.signal.addEventListener("abort", () => body.destroy(new Error("a time limit has passed")), { once: true });
  try {
    const done = pipeline(body, sink);
    body.on("data", time.touch);
    await done;
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
