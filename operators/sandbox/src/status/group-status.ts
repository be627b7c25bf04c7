// The status of a RouteGroup: its sandboxes, and the state of its routes and addresses.

import { formatTime } from "@homeostat/core";
import type { StatusPlan } from "@homeostat/runtime";
import type { RouteGroup, RouteGroupReason } from "../api/route-group.ts";
import type { Lifetime } from "../decide/expiry.ts";
import type { ProgrammedRoutes } from "../decide/programmed.ts";
import type { GroupReport } from "../routes/reports.ts";
import { endpointFields, type EndpointOutcome } from "./endpoints.ts";

/** Input of {@link groupStatus}. */
export interface GroupStatusInput {
  readonly generation: number;
  readonly routingKey: string;
  readonly report: GroupReport;
  /** Names of matched sandboxes that are ready. */
  readonly ready: ReadonlySet<string>;
  readonly routes: ProgrammedRoutes;
  readonly endpoints: readonly EndpointOutcome[];
  readonly lifetime: Lifetime;
  /** A problem of the spec, or a policy that denies it; such a group has no routes. */
  readonly problem: { readonly reason: "InvalidSpec" | "PolicyDenied"; readonly message: string } | undefined;
}

type Conditions = NonNullable<StatusPlan<RouteGroup>["conditions"]>;

/** Returns the status of a group. */
export function groupStatus(input: GroupStatusInput): StatusPlan<RouteGroup> {
  const { generation, routingKey, report, ready, routes, endpoints, lifetime } = input;
  const { matchedSandboxes, conflicts } = report;
  const total = matchedSandboxes.length;
  const readySandboxes = matchedSandboxes.filter((name) => ready.has(name)).length;
  return {
    fields: {
      observedGeneration: generation,
      routingKey,
      matchedSandboxes,
      totalSandboxes: total,
      readySandboxes,
      endpoints: endpointFields(endpoints),
      conflicts: conflicts.map(({ service, winner = "", losers }) => ({ service, winner, losers })),
      renderers: renderers(routes),
      expiresAt: lifetime.state === "unlimited" ? undefined : formatTime(lifetime.expiresAt),
      summary: { sandboxes: `${readySandboxes}/${total}` },
    },
    conditions: {
      Ready: readyCondition(input),
      Progressing:
        routes.state === "waiting"
          ? { status: true, reason: "ProgrammingRoutes", message: routes.message }
          : { status: false, reason: "Complete", message: "Nothing is in progress" },
      Degraded: degraded(input, readySandboxes),
      Matched: matched(report),
      RoutesProgrammed: routesProgrammed(routes),
      EndpointsReady: endpointsReady(endpoints),
      ConflictFree: conflictFree(report),
      KeyUnique: report.ownsKey
        ? { status: true, reason: "KeyUnique", message: `No older object has the key ${routingKey}` }
        : { status: false, reason: "RoutingKeyConflict", message: keyConflict(routingKey) },
    },
  };
}

/** Returns the progress of the renderers of the routes: the meshes that have objects, or the routing proxy. */
function renderers({ tables, synced, total, meshes }: ProgrammedRoutes) {
  const proxy = { name: "proxy", objects: tables, synced, total };
  const own = meshes.map(({ name, objects, accepted }) => ({ name, objects, synced: accepted, total: objects }));
  return own.length === 0 || total > 0 ? [proxy, ...own] : own;
}

export function keyConflict(key: string): string {
  return `An older sandbox or RouteGroup has the routing key ${key}; create this object again with another key`;
}

/** Reports whether the group has a destination: a matched sandbox, or an explicit route with a target. */
function hasTarget({ report, routes }: GroupStatusInput): boolean {
  return report.matchedSandboxes.length > 0 || routes.tables > 0;
}

function readyCondition(input: GroupStatusInput): Conditions["Ready"] {
  const { report, routes, endpoints, problem, routingKey } = input;
  const not = (reason: RouteGroupReason<"Ready">, message: string) => ({ status: false, reason, message });
  if (problem !== undefined) return not(problem.reason, problem.message);
  if (!report.ownsKey) return not("RoutingKeyConflict", keyConflict(routingKey));
  if (!hasTarget(input)) return not("NoMatch", "No sandbox matches, and no explicit route targets one");
  if (routes.state === "waiting" || routes.state === "failed") return not("RoutesNotProgrammed", routes.message);
  const broken = endpoints.find((endpoint) => endpoint.problem !== undefined);
  if (broken?.problem !== undefined)
    return not("EndpointsNotReady", `Endpoint ${broken.name}: ${broken.problem.message}`);
  return { status: true, reason: "GroupReady", message: "All routes are in force and all addresses work" };
}

function degraded({ report, ready }: GroupStatusInput, readySandboxes: number): Conditions["Degraded"] {
  const is = (reason: RouteGroupReason<"Degraded">, message: string) => ({ status: true, reason, message });
  const { matchedSandboxes, unresolvedRoutes, refusedServices, conflicts } = report;
  if (refusedServices.length > 0) return is("RoutesLimited", `Routes of ${refusedServices.join(", ")} do not fit`);
  const [unresolved] = unresolvedRoutes;
  if (unresolved !== undefined) {
    const { index, targetSandbox, problem } = unresolved;
    return is(
      "SandboxMissing",
      `spec.routes[${index}] to sandbox ${targetSandbox} has no effect: ${problemText[problem]}`,
    );
  }
  if (conflicts.length > 0) return is("RouteConflict", conflictText(report));
  if (readySandboxes < matchedSandboxes.length) {
    const waiting = matchedSandboxes.filter((name) => !ready.has(name));
    return is("SandboxesNotReady", `Sandboxes that are not ready: ${waiting.join(", ")}`);
  }
  return { status: false, reason: "AsExpected", message: "All matched sandboxes are ready" };
}

const problemText: Readonly<Record<GroupReport["unresolvedRoutes"][number]["problem"], string>> = {
  SandboxMissing: "the sandbox does not exist",
  SandboxNotRouted: "the sandbox is suspended, is being deleted, or has no routing key yet",
  NoSuchEntry: "the sandbox has no such entry with a Service",
  KeyOfOtherNamespace: "its routing key belongs to an object of another namespace",
};

function matched({ matchedSandboxes }: GroupReport): Conditions["Matched"] {
  const count = matchedSandboxes.length;
  if (count === 0) return { status: false, reason: "NoMatch", message: "No sandbox matches" };
  return { status: true, reason: "Matched", message: count === 1 ? "1 sandbox matches" : `${count} sandboxes match` };
}

function routesProgrammed(routes: ProgrammedRoutes): Conditions["RoutesProgrammed"] {
  const { state, reason, message, isHeaderLimited } = routes;
  if (state === "programmed")
    return { status: true, reason: isHeaderLimited ? "HeaderFormsLimited" : "Programmed", message };
  if (state === "noRoutes") return { status: true, reason: "NoRoutes", message };
  return { status: false, reason: reason ?? "WaitingForProxies", message };
}

function endpointsReady(endpoints: readonly EndpointOutcome[]): Conditions["EndpointsReady"] {
  if (endpoints.length === 0) return { status: true, reason: "NoEndpoints", message: "The group has no endpoints" };
  const broken = endpoints.find(({ problem }) => problem !== undefined);
  if (broken?.problem === undefined) {
    return { status: true, reason: "EndpointsReady", message: "The gateway serves all endpoints" };
  }
  const { reason, message } = broken.problem;
  return { status: false, reason, message: `Endpoint ${broken.name}: ${message}` };
}

function conflictFree(report: GroupReport): Conditions["ConflictFree"] {
  if (report.conflicts.length === 0) {
    return { status: true, reason: "NoConflict", message: "No Service is changed by two sandboxes of the group" };
  }
  return { status: false, reason: "RouteConflict", message: conflictText(report) };
}

/** Maximum number of conflicts that a message lists. `status.conflicts` has all of them. */
const listedMax = 5;

export function conflictText({ conflicts }: Pick<GroupReport, "conflicts">): string {
  const listed = conflicts.slice(0, listedMax).map(({ service, winner, losers }) => {
    const outcome = winner === undefined ? "none serves it" : `${winner} serves it`;
    return `${service} is changed by ${[...(winner === undefined ? [] : [winner]), ...losers].join(", ")}; ${outcome}`;
  });
  const rest = conflicts.length - listed.length;
  return `${listed.join(". ")}${rest > 0 ? `. ${rest} more Services` : ""}`;
}

/** Describes for a sandbox why it does not serve a Service in a group. */
export function lostText(group: string, { service, winner }: GroupReport["conflicts"][number]): string {
  const outcome = winner === undefined ? "routes it to the baseline" : `routes it to sandbox ${winner}`;
  return `RouteGroup ${group} matches several sandboxes that change Service ${service} and ${outcome}`;
}
