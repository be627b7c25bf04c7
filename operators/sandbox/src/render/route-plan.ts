// The routes of one port of a Service, in a form that all renderers share.

import { compileTable, type CompiledConditions, type CompiledRoute, type RouteTable } from "@homeostat/routing";
import type { Limitations } from "./limitation.ts";

/** The destination of a route. */
export type Destination =
  | { readonly kind: "baseline" }
  | {
      readonly kind: "workload";
      /** Service of the workload. */
      readonly service: string;
      readonly port: number;
      /** Ready endpoints; undefined if they are unknown. */
      readonly addresses: readonly string[] | undefined;
    };

/** A route of a key. */
export interface PlannedRoute {
  readonly sandbox: string;
  readonly workload: string;
  /** Undefined if every request matches. */
  readonly conditions: CompiledConditions | undefined;
  readonly destination: Destination;
  /** Share of requests for the destination, from 1 to 100; the baseline gets the others. */
  readonly percent: number;
  /** Headers to set, with lower-case names. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The routes of one key, in the order in which they are tried. */
export interface PlannedKey {
  readonly key: string;
  readonly routes: readonly PlannedRoute[];
}

/** Plans the routes of a port. Routes after one without conditions are omitted: no request reaches them. */
export function planRoutes(table: RouteTable, port: number, limitations: Limitations): readonly PlannedKey[] {
  const compiled = compileTable(table).ports.get(port);
  if (compiled === undefined) return [];
  return [...compiled.routes.keys()]
    .map((key) => ({ key, routes: planKey(compiled.routes.get(key) ?? [], port, limitations) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

function planKey(routes: readonly CompiledRoute[], port: number, limitations: Limitations): readonly PlannedRoute[] {
  const last = routes.findIndex(({ conditions }) => conditions === undefined);
  const reachable = last === -1 ? routes : routes.slice(0, last + 1);
  return reachable.map((route) => planRoute(route, port, limitations));
}

/** The destination of requests that no workload serves. */
export const baseline: Destination = { kind: "baseline" };

function planRoute(route: CompiledRoute, port: number, limitations: Limitations): PlannedRoute {
  const { entry, conditions } = route;
  const { sandbox, workload } = entry;
  if (route.holdMs > 0) limitations.add("HoldUnsupported", { sandbox });
  if (route.faults.length > 0 || entry.middleware?.record === true)
    limitations.add("MiddlewareUnsupported", { sandbox });
  const percent = route.share / 100;
  if (percent > 0 && percent < 100 && route.stickyBy !== "None") limitations.add("PercentNotSticky", { sandbox });
  const isFallback = route.targets.length === 0 && route.onUnavailable === "Baseline";
  if (percent === 0 || isFallback) {
    return { sandbox, workload, conditions, destination: baseline, percent: 100, headers: [] };
  }
  return {
    sandbox,
    workload,
    conditions,
    destination: destinationOf(route, port),
    percent,
    headers: route.additionalHeaders,
  };
}

function destinationOf({ entry }: CompiledRoute, port: number): Destination {
  const target = entry.mode === "Virtual" ? undefined : entry.ports.find((each) => each.port === port);
  if (target === undefined) return baseline;
  const { targetService: service, targetPort, addresses } = target;
  return { kind: "workload", service, port: targetPort, addresses };
}
