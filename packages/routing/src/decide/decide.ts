import type { Random } from "@homeostat/core";
import type { FoundKey } from "../key/key-steps.ts";
import type { KeyReader } from "../key/key-reader.ts";
import { readTraceId } from "../key/traceparent.ts";
import type { CountError } from "../key/key-steps.ts";
import { firstValue } from "../request/header-value.ts";
import { comparablePath } from "../request/path.ts";
import type { RequestView } from "../request/request-view.ts";
import type { TraceKeys } from "../restore/trace-keys.ts";
import { failedCondition } from "../table/conditions.ts";
import type { CompiledPort, CompiledRoute } from "../table/compile-table.ts";
import type { BaselineDecision, BaselineReason, Decision, DecisionStep, FaultPlan } from "./decision.ts";
import { bucketCount, stickyBucket } from "./sticky-hash.ts";

/** Health of targets, as the proxy observes it. */
export interface TargetHealth {
  /** Reports whether connections to an address succeed. */
  isHealthy(address: string): boolean;
}

/** Inputs of decisions other than the table and the request. A context lives as long as the configuration. */
export interface DecisionContext {
  readonly keys: KeyReader;
  /** Source of splits without a sticky value, and of faults. */
  readonly random: Random;
  /** Default: all targets are healthy. */
  readonly health?: TargetHealth | undefined;
  /** Keys of all tables of the proxy, to distinguish `no-entry` from `unknown-key`. Default: those of the table. */
  readonly knownKeys?: { has(key: string): boolean } | undefined;
  /** Keys of traces, if a Service of the proxy restores lost keys. */
  readonly traceKeys?: TraceKeys | undefined;
  readonly count?: CountError | undefined;
  /** Receives every step, for an explanation. */
  readonly record?: ((step: DecisionStep) => void) | undefined;
}

const withoutKey: BaselineDecision = { type: "baseline", reason: "no-key", key: undefined, route: undefined };

/**
 * Decides where a request goes. This is the only place where routes are decided: proxies call it for each request, explanations record
 * its steps, and renderers for meshes are compared with it.
 *
 * Never throws, whatever the request contains.
 */
export function decide(port: CompiledPort, request: RequestView, context: DecisionContext): Decision {
  const { keys, traceKeys, record } = context;
  const found = keys.read(request, context);
  const key = traceKeys === undefined ? found : restored(found, { port, request, traceKeys });
  if (key === undefined) return withoutKey;
  if (isProbe(request)) {
    record?.({ step: "probe" });
    return baseline("probe", key);
  }
  const routes = port.routes.get(key.key);
  if (routes === undefined) return withoutRoute(port, key, context);
  record?.({ step: "lookup", key: key.key, routes: routes.length, isKnown: true });
  const route = firstMatching(routes, request, context);
  if (route === undefined) return baseline("condition", key);
  if (!isInShare(route, request, context)) return baseline("percent", key, route);
  record?.({ step: "taken", route });
  if (route.targets.length === 0) return unavailable(key, route, context);
  const targets = healthyTargets(route, context);
  return { type: "entry", key, route, targets, fault: faultOf(route, request, context) };
}

/** Notes the key of a request for its trace, or returns the key of the trace if the Service restores keys. */
function restored(
  found: FoundKey | undefined,
  { port, request, traceKeys }: { port: CompiledPort; request: RequestView; traceKeys: TraceKeys },
): FoundKey | undefined {
  const traceId = readTraceId(request.headers) ?? undefined;
  if (traceId === undefined || isProbe(request)) return found;
  if (found !== undefined || !port.restoresKeys) {
    traceKeys.see(traceId, found?.key);
    return found;
  }
  const key = traceKeys.restore(traceId);
  return key === undefined ? undefined : { key, source: "restored", name: "" };
}

/** Probes of the kubelet test the container of the baseline. A key in them would let a sandbox determine the health of the baseline. */
function isProbe({ isFromNode, headers }: RequestView): boolean {
  if (isFromNode === true) return true;
  const agent = headers.get("user-agent");
  return typeof agent === "string" && agent.startsWith("kube-probe/");
}

function withoutRoute(port: CompiledPort, key: FoundKey, { knownKeys, count, record }: DecisionContext): Decision {
  const isKnown = port.keys.has(key.key) || knownKeys?.has(key.key) === true;
  record?.({ step: "lookup", key: key.key, routes: 0, isKnown });
  if (isKnown) return baseline("no-entry", key);
  count?.("unknown_key");
  return baseline("unknown-key", key);
}

function firstMatching(
  routes: readonly CompiledRoute[],
  request: RequestView,
  { record }: DecisionContext,
): CompiledRoute | undefined {
  let path: string | undefined;
  let hasPath = false;
  for (const route of routes) {
    if (route.conditions === undefined) return route;
    if (!hasPath && route.conditions.paths !== undefined) {
      path = comparablePath(request.path);
      hasPath = true;
    }
    const condition = failedCondition(route.conditions, request, path);
    if (condition === undefined) return route;
    record?.({ step: "passed-over", route, condition });
  }
  return undefined;
}

/** Reports whether a request is in the share of a route. The others go to the baseline, not to the next route. */
function isInShare(route: CompiledRoute, request: RequestView, { random, record }: DecisionContext): boolean {
  const { share } = route;
  if (share === bucketCount) return true;
  const value = stickyValue(route, request);
  // Without a value, each request is assigned at random.
  const bucket = value === undefined ? random.int(bucketCount) : stickyBucket(value);
  const stickyBy = value === undefined ? "None" : route.stickyBy;
  record?.({ step: "split", route, stickyBy, bucket, share });
  return bucket < share;
}

function stickyValue({ stickyBy, stickyHeader }: CompiledRoute, request: RequestView): string | undefined {
  switch (stickyBy) {
    case "TraceId":
      return readTraceId(request.headers) ?? undefined;
    case "ClientIP":
      // A dual-stack socket reports IPv4 clients in this form, another socket the plain address.
      return request.clientAddress?.replace(/^::ffff:(?=\d+\.)/i, "");
    case "Header":
      return firstValue(request.headers, stickyHeader) || undefined;
    case "None":
      return undefined;
  }
}

function unavailable(key: FoundKey, route: CompiledRoute, { count }: DecisionContext): Decision {
  count?.("unavailable");
  const { onUnavailable, holdMs } = route;
  if (holdMs > 0) {
    const afterHold = onUnavailable === "Baseline" ? "Baseline" : "Fail";
    return { type: "unavailable", action: "Hold", key, route, holdMs, afterHold };
  }
  if (onUnavailable === "Baseline") return baseline("unavailable", key, route);
  return { type: "unavailable", action: "Fail", key, route };
}

/**
 * Returns the targets without the unhealthy ones. If more than half of them are unhealthy, all are returned: the few others could not carry the load,
 * and so many failures are more likely a false observation.
 */
function healthyTargets(route: CompiledRoute, { health, record }: DecisionContext): readonly string[] {
  const { targets } = route;
  // Without a filter in the normal case: no list is built per request.
  if (health === undefined || targets.every((address) => health.isHealthy(address))) {
    record?.({ step: "targets", route, unhealthy: [] });
    return targets;
  }
  const healthy = targets.filter((address) => health.isHealthy(address));
  record?.({ step: "targets", route, unhealthy: targets.filter((address) => !healthy.includes(address)) });
  return healthy.length * 2 >= targets.length ? healthy : targets;
}

/** Returns the first fault that applies to a request. */
function faultOf({ faults }: CompiledRoute, request: RequestView, { random }: DecisionContext): FaultPlan | undefined {
  for (const { conditions, share, delayMs, jitterMs, abortCode, abortGrpcStatus } of faults) {
    const path = conditions?.paths === undefined ? undefined : comparablePath(request.path);
    if (conditions !== undefined && failedCondition(conditions, request, path) !== undefined) continue;
    if (share < bucketCount && random.int(bucketCount) >= share) continue;
    const jitter = jitterMs === 0 ? 0 : random.int(jitterMs + 1);
    return { delayMs: delayMs + jitter, abortCode, abortGrpcStatus };
  }
  return undefined;
}

function baseline(reason: BaselineReason, key: FoundKey, route?: CompiledRoute): BaselineDecision {
  return { type: "baseline", reason, key, route };
}
