// The state that tables are compiled from, and queries on it. The incremental compiler keeps it up to date; the full compilation builds it from all
// objects.

import type { Labels } from "@homeostat/core";
import { isServing } from "./entries.ts";
import type { KeyClaim } from "./keys.ts";
import type { LabelTest } from "./match.ts";
import { isRoutedSandbox, type SandboxRoutes } from "./sandbox-routes.ts";
import type { ExplicitContribution, MatchedGroup, TableInput } from "./table.ts";
import type { ExplicitRouteView, RouteGroupView, SandboxView, ServiceView } from "./views.ts";

/** A sandbox with the values derived from it. */
export interface SandboxState {
  readonly view: SandboxView;
  readonly labels: Labels;
  readonly routes: SandboxRoutes;
  /** Groups whose match includes the sandbox. */
  readonly groups: ReadonlySet<GroupState>;
}

/** A group with the values derived from it. */
export interface GroupState {
  readonly view: RouteGroupView;
  /** The match over labels of sandboxes. */
  readonly includes: LabelTest;
  /** The selector over labels of Services. */
  readonly selects: LabelTest;
  /** Sandboxes that the match includes. */
  readonly members: ReadonlySet<SandboxState>;
}

/** The state of all routes. Keys are `namespace/name`. */
export interface RouteState {
  service(key: string): ServiceView | undefined;
  sandbox(key: string): SandboxState | undefined;
  group(key: string): GroupState | undefined;
  /** Sandboxes that have a route for a Service, including those that currently do not take part in routing. */
  overriders(serviceKey: string): Iterable<SandboxState>;
  /** Groups with an explicit route to a sandbox, also if the sandbox does not exist. */
  groupsNaming(sandboxKey: string): Iterable<GroupState>;
  keyOwner(routingKey: string): KeyClaim | undefined;
}

/** Reports whether the match of a group includes a sandbox. */
export function isMember(group: Pick<GroupState, "view" | "includes">, sandbox: Omit<SandboxState, "groups">): boolean {
  return (
    group.view.namespace === sandbox.view.namespace && isRoutedSandbox(sandbox.view) && group.includes(sandbox.labels)
  );
}

/** Returns the claim of a sandbox or a group to its key. */
export function claimOf(kind: KeyClaim["kind"], view: SandboxView | RouteGroupView): KeyClaim {
  const { namespace, name, uid, createdAt } = view;
  return { kind, namespace, name, uid, createdAt };
}

/**
 * Returns the key that a sandbox or a group owns. Returns undefined, so that the object contributes no routes, until the key is chosen and while an
 * older object owns it.
 */
export function ownedKey(
  state: Pick<RouteState, "keyOwner">,
  kind: KeyClaim["kind"],
  view: SandboxView | RouteGroupView,
): string | undefined {
  const { routingKey, uid } = view;
  const owner = routingKey === undefined ? undefined : state.keyOwner(routingKey);
  return owner?.kind === kind && owner.uid === uid ? routingKey : undefined;
}

/** Returns the key of a sandbox that contributes routes; undefined if it contributes none. */
export function routedKey(state: Pick<RouteState, "keyOwner">, { view }: SandboxState): string | undefined {
  return isRoutedSandbox(view) ? ownedKey(state, "Sandbox", view) : undefined;
}

/** Returns the key of a group that contributes routes; undefined if it contributes none. */
export function routedGroupKey(state: Pick<RouteState, "keyOwner">, { view }: GroupState): string | undefined {
  return view.isDeleting ? undefined : ownedKey(state, "RouteGroup", view);
}

/**
 * Returns the key of an explicit route; undefined if the group may not use it.
 *
 * A group can only name sandboxes of its own namespace, so using a key that an object of another namespace owns would redirect the requests of that
 * object's users.
 */
export function explicitKey(
  state: Pick<RouteState, "keyOwner">,
  group: RouteGroupView,
  { routingKey }: ExplicitRouteView,
): string | undefined {
  if (routingKey === undefined) return group.routingKey;
  const owner = state.keyOwner(routingKey);
  return owner === undefined || owner.namespace === group.namespace ? routingKey : undefined;
}

/** Collects the input for the table of a Service; returns undefined if the Service does not exist. */
export function tableInput(state: RouteState, serviceKey: string): TableInput | undefined {
  const service = state.service(serviceKey);
  if (service === undefined) return undefined;
  const own: TableInput["own"][number][] = [];
  const explicit: ExplicitContribution[] = [];
  const matched = new Map<
    GroupState,
    MatchedGroup & { readonly candidates: TableInput["own"][number]["contribution"][] }
  >();
  for (const sandbox of state.overriders(serviceKey)) {
    const key = routedKey(state, sandbox);
    const route = sandbox.routes.get(serviceKey);
    if (key === undefined || route === undefined || !isServing(route, service)) continue;
    const contribution = { sandbox: sandbox.view, route };
    own.push({ key, contribution });
    for (const group of sandbox.groups) {
      const known = matched.get(group);
      if (known !== undefined) known.candidates.push(contribution);
      else {
        const groupKey = usableKey(state, group, service);
        if (groupKey !== undefined)
          matched.set(group, { group: group.view, key: groupKey, candidates: [contribution] });
      }
    }
    for (const group of state.groupsNaming(`${sandbox.view.namespace}/${sandbox.view.name}`)) {
      if (usableKey(state, group, service) === undefined) continue;
      for (const [index, each] of group.view.routes.entries()) {
        if (each.targetSandbox !== sandbox.view.name || each.entries?.includes(route.workload) === false) continue;
        const routeKey = explicitKey(state, group.view, each);
        if (routeKey !== undefined)
          explicit.push({ group: group.view, key: routeKey, index, route: each, contribution });
      }
    }
  }
  return { service, own, matched: [...matched.values()], explicit };
}

/** Returns the key of a group that contributes routes to a Service. */
function usableKey(state: RouteState, group: GroupState, service: ServiceView): string | undefined {
  return group.selects(service.labels) ? routedGroupKey(state, group) : undefined;
}
