// Results for one group and one sandbox, from which their status is derived.

import { isServing } from "./entries.ts";
import { compareText } from "./keys.ts";
import { explicitKey, type GroupState, ownedKey, routedKey, type RouteState, type SandboxState } from "./state.ts";
import type { CompiledTable } from "./table.ts";
import { type ExplicitRouteView, viewKey } from "./views.ts";

/** Compiled tables by the key of the Service. */
export type CompiledTables = ReadonlyMap<string, CompiledTable>;

/** A Service that several sandboxes of a group override. */
export interface ServiceConflict {
  /** Name of the Service; with its namespace if that is not the one of the group. */
  readonly service: string;
  /** Name of the sandbox that serves; undefined if the policy rejects all. */
  readonly winner: string | undefined;
  readonly losers: readonly string[];
}

/** Reasons why an explicit route has no effect. */
export type RouteProblem = "SandboxMissing" | "SandboxNotRouted" | "NoSuchEntry" | "KeyOfOtherNamespace";

/** An explicit route without effect. */
export interface UnresolvedRoute {
  readonly index: number;
  readonly targetSandbox: string;
  readonly problem: RouteProblem;
}

/** Routes of one group. */
export interface GroupReport {
  /** False until the key is chosen, and while an older object owns it; the group then has no routes. */
  readonly ownsKey: boolean;
  /** Names of the sandboxes that the match includes, sorted. */
  readonly matchedSandboxes: readonly string[];
  readonly conflicts: readonly ServiceConflict[];
  readonly unresolvedRoutes: readonly UnresolvedRoute[];
  /** Keys of the Services whose tables contain entries of the group. */
  readonly services: readonly string[];
  /** Keys of the Services whose tables omit the group because they would be too large. */
  readonly refusedServices: readonly string[];
}

/** Routes of one sandbox. */
export interface SandboxReport {
  /** False until the key is chosen, and while an older object owns it; the sandbox then has no routes. */
  readonly ownsKey: boolean;
  /** Names of the groups that include the sandbox by match or by an explicit route, sorted. */
  readonly groups: readonly string[];
  /** Keys of the Services whose tables contain entries for the key of the sandbox. */
  readonly services: readonly string[];
  /** Keys of the Services whose tables are refused because they would be too large. */
  readonly refusedServices: readonly string[];
}

/** Reports the routes of a group. */
export function groupReport(state: RouteState, tables: CompiledTables, group: GroupState): GroupReport {
  const { view, members } = group;
  const key = viewKey(view);
  const compiled = servicesOfGroup(state, group).flatMap((service) => tables.get(service) ?? []);
  const conflicts = compiled.flatMap((table) =>
    table.conflicts
      .filter((conflict) => conflict.group === key)
      .map(({ winner, losers }) => ({ service: serviceName(table, view.namespace), winner, losers })),
  );
  return {
    ownsKey: ownedKey(state, "RouteGroup", view) !== undefined,
    matchedSandboxes: [...members].map((member) => member.view.name).sort(compareText),
    conflicts,
    unresolvedRoutes: unresolvedRoutes(state, group),
    services: compiled.filter(({ groups }) => groups.includes(key)).map(tableKey),
    refusedServices: compiled
      .filter(({ refusedGroups }) => refusedGroups.some((refused) => refused.group === key))
      .map(tableKey),
  };
}

/** Reports the routes of a sandbox. */
export function sandboxReport(state: RouteState, tables: CompiledTables, sandbox: SandboxState): SandboxReport {
  const { view, routes, groups } = sandbox;
  const naming = [...state.groupsNaming(viewKey(view))];
  const names = new Set([...groups, ...naming].map((group) => group.view.name));
  const key = routedKey(state, sandbox);
  const services = [...routes.keys()].filter((service) => key !== undefined && state.service(service) !== undefined);
  services.sort(compareText);
  return {
    ownsKey: ownedKey(state, "Sandbox", view) !== undefined,
    groups: [...names].sort(compareText),
    services: services.filter(
      (service) => hasEntry(state, sandbox, service) && tables.get(service)?.isRefused === false,
    ),
    refusedServices: services.filter((service) => tables.get(service)?.isRefused === true),
  };
}

/** Returns the keys of the Services that sandboxes of a group override, sorted. */
export function servicesOfGroup(state: RouteState, { view, members }: GroupState): readonly string[] {
  const services = new Set<string>();
  for (const member of members) for (const service of member.routes.keys()) services.add(service);
  for (const { targetSandbox } of view.routes) {
    const target = state.sandbox(`${view.namespace}/${targetSandbox}`);
    for (const service of target?.routes.keys() ?? []) services.add(service);
  }
  return [...services].sort(compareText);
}

function hasEntry(state: RouteState, { routes }: SandboxState, serviceKey: string): boolean {
  const service = state.service(serviceKey);
  const route = routes.get(serviceKey);
  return service !== undefined && route !== undefined && isServing(route, service);
}

function unresolvedRoutes(state: RouteState, group: GroupState): readonly UnresolvedRoute[] {
  return group.view.routes.flatMap((route, index) => {
    const problem = problemOf(state, group, route);
    return problem === undefined ? [] : [{ index, targetSandbox: route.targetSandbox, problem }];
  });
}

function problemOf(state: RouteState, { view }: GroupState, route: ExplicitRouteView): RouteProblem | undefined {
  const target = state.sandbox(`${view.namespace}/${route.targetSandbox}`);
  if (target === undefined) return "SandboxMissing";
  if (routedKey(state, target) === undefined) return "SandboxNotRouted";
  if (explicitKey(state, view, route) === undefined && view.routingKey !== undefined) return "KeyOfOtherNamespace";
  const workloads = new Set([...target.routes.values()].map(({ workload }) => workload));
  const { entries } = route;
  const isServed = entries === undefined ? workloads.size > 0 : entries.some((entry) => workloads.has(entry));
  return isServed ? undefined : "NoSuchEntry";
}

function tableKey({ namespace, service }: CompiledTable): string {
  return `${namespace}/${service}`;
}

function serviceName(table: CompiledTable, namespace: string): string {
  return table.namespace === namespace ? table.service : tableKey(table);
}
