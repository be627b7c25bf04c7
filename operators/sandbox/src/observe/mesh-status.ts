// Reads the conditions that meshes report on routes.

import { type DeepReadonly, parseTime } from "@homeostat/core";
import { annotations } from "../api/identity.ts";
import { probeRouteName } from "../build/mesh-probe.ts";
import type { Probe, ProbeVerdict } from "../decide/mesh-probe.ts";
import type { GrpcRouteObject, HttpRouteObject, ParentStatus } from "./mesh-kinds.ts";

/** Verdict of the meshes about one route. */
export type RouteVerdict =
  | { readonly state: "accepted" }
  | { readonly state: "pending" }
  | { readonly state: "rejected"; readonly reason: string; readonly message: string };

/** Conditions that must be true. */
const required = ["Accepted", "ResolvedRefs"] as const;

/**
 * Returns the verdict about a route for the parent that it names. Conditions of an earlier generation are ignored. It is sufficient that one mesh
 * accepts the route, because others may not be responsible for the Service.
 */
export function routeVerdict({
  metadata,
  spec,
  status,
}: DeepReadonly<HttpRouteObject | GrpcRouteObject>): RouteVerdict {
  const [parent] = spec?.parentRefs ?? [];
  const own = (status?.parents ?? []).filter(
    ({ parentRef }) =>
      parentRef.name === parent?.name &&
      (parentRef.port ?? parent.port) === parent.port &&
      parentRef.kind === "Service",
  );
  const verdicts = own.map((each) => parentVerdict(each, metadata.generation ?? 0));
  return (
    verdicts.find(({ state }) => state === "accepted") ??
    verdicts.find(({ state }) => state === "rejected") ?? { state: "pending" }
  );
}

function parentVerdict({ conditions = [] }: DeepReadonly<ParentStatus>, generation: number): RouteVerdict {
  const current = conditions.filter(({ observedGeneration = 0 }) => observedGeneration >= generation);
  const found = required.map((type) => current.find((condition) => condition.type === type));
  const failed = found.find((condition) => condition?.status === "False");
  if (failed !== undefined) {
    return { state: "rejected", reason: failed.reason ?? failed.type, message: failed.message ?? "" };
  }
  return { state: found.every((condition) => condition?.status === "True") ? "accepted" : "pending" };
}

/** Returns the probes among the routes of a namespace. */
export function probesOf(routes: readonly DeepReadonly<HttpRouteObject>[]): readonly Probe[] {
  return ([0, 1] as const).flatMap((slot) => {
    const route = routes.find(({ metadata }) => metadata.name === probeRouteName(slot));
    if (route === undefined || route.metadata.deletionTimestamp !== undefined) return [];
    const text = route.metadata.annotations?.[annotations.probedAt] ?? route.metadata.creationTimestamp;
    const probedAt = text === undefined ? 0 : parseTime(text);
    return [{ slot, probedAt, verdict: probeVerdict(route) }];
  });
}

function probeVerdict(route: DeepReadonly<HttpRouteObject>): ProbeVerdict | undefined {
  const verdict = routeVerdict(route);
  if (verdict.state !== "rejected") return verdict.state === "accepted" ? "accepted" : undefined;
  return verdict.reason === "UnsupportedValue" ? "noRegex" : "rejected";
}
