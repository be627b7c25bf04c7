import type { DecisionStep } from "../decide/decision.ts";
import type { KeyResult, KeySource, SkippedSource } from "../key/key-steps.ts";
import type { CompiledRoute } from "../table/compile-table.ts";
import type { ExplainedRoute, ExplainedStep } from "./explanation.ts";

const places: Readonly<Record<KeySource, string>> = {
  restored: "an earlier request of the trace",
  address: "the address of the request",
  "explicit-header": "header",
  "group-header": "header of a RouteGroup",
  baggage: "baggage member",
  "compat-header": "compatibility header",
  tracestate: "tracestate member",
  "custom-header": "custom header",
  cookie: "cookie",
  query: "query parameter",
  default: "the default of the preview host",
};

const results: Readonly<Record<KeyResult, string>> = {
  taken: "is the key",
  same: "is the same key again",
  conflict: "is another key and is ignored, because the previous one takes precedence",
  invalid: "is not a routing key and is ignored",
  "not-of-group": "is not a key of the RouteGroups that read this header, and is ignored",
};

const skipped: Readonly<Record<SkippedSource, string>> = {
  "malformed-traceparent": "tracestate is ignored, because traceparent is malformed",
  "missing-traceparent": "tracestate is ignored, because the request has no traceparent",
  truncated: "baggage is longer than 8192 bytes or 180 members; the rest is not read",
  "external-keys-not-accepted": "Keys of requests from outside are not accepted",
};

const conditions = { path: "path", method: "method", header: "headers" } as const;

/** Returns the short form of a route. */
export function explainRoute({ entry }: CompiledRoute): ExplainedRoute {
  const { sandbox, workload, source, routeGroup } = entry;
  return { sandbox, workload, source, ...(routeGroup === undefined ? {} : { routeGroup }) };
}

/** Describes a step for humans. */
export function explainStep(step: DecisionStep): ExplainedStep {
  switch (step.step) {
    case "key": {
      const place = step.name === "" ? places[step.source] : `${places[step.source]} ${step.name}`;
      return { step: step.step, text: `Value ${JSON.stringify(step.value)} of ${place} ${results[step.result]}` };
    }
    case "key-source":
      return { step: step.step, text: skipped[step.result] };
    case "probe":
      return { step: step.step, text: "The request is a kubelet probe and goes to the baseline" };
    case "lookup":
      return { step: step.step, text: lookupText(step) };
    case "passed-over": {
      const text = `Passed over: ${nameOf(step.route)} requires another ${conditions[step.condition]}`;
      return { step: step.step, text, route: explainRoute(step.route) };
    }
    case "split":
      return { step: step.step, text: splitText(step), route: explainRoute(step.route) };
    case "taken":
      return { step: step.step, text: `Taken: ${nameOf(step.route)}`, route: explainRoute(step.route) };
    case "targets":
      return { step: step.step, text: targetsText(step), route: explainRoute(step.route) };
  }
}

/** Describes a route after the one that decided. */
export function explainNotReached(route: CompiledRoute): ExplainedStep {
  const text = `Not reached: ${nameOf(route)} comes after the deciding route`;
  return { step: "not-reached", text, route: explainRoute(route) };
}

function lookupText({ key, routes, isKnown }: DecisionStep & { step: "lookup" }): string {
  if (routes > 0) return `Key ${key} has ${routes === 1 ? "one route" : `${routes} routes`} for this port`;
  return isKnown ? `Key ${key} has no route for this port of the Service` : `Key ${key} is unknown here`;
}

function splitText({ route, stickyBy, bucket, share }: DecisionStep & { step: "split" }): string {
  const by = stickyBy === "None" ? "a random choice" : stickyBy;
  const side = bucket < share ? "inside" : "outside";
  return `${nameOf(route)} takes ${share / 100} % of the requests; by ${by}, this one is ${side} (${bucket} of 10000)`;
}

function targetsText({ route, unhealthy }: DecisionStep & { step: "targets" }): string {
  const count = route.targets.length;
  const targets = count === 1 ? "one target" : `${count} targets`;
  return `${nameOf(route)} has ${targets}, ${unhealthy.length === 0 ? "none" : unhealthy.length} unhealthy`;
}

function nameOf({ entry }: CompiledRoute): string {
  const { sandbox, workload, routeGroup } = entry;
  const group = routeGroup === undefined ? "" : ` by RouteGroup ${routeGroup}`;
  return `workload ${workload} of sandbox ${sandbox}${group}`;
}
