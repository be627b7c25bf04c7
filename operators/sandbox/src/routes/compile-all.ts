// The full compilation. It builds everything from the objects and shares no index with the incremental compiler, so the two
// results can be compared: a difference is a bug in the incremental one.

import { compareText, type KeyClaim, ownerOf } from "./keys.ts";
import { compileMatch, compileServiceSelector, effectiveLabels } from "./match.ts";
import { type CompiledTables, type GroupReport, groupReport, type SandboxReport, sandboxReport } from "./reports.ts";
import { routesOf } from "./sandbox-routes.ts";
import { claimOf, type GroupState, isMember, type RouteState, type SandboxState, tableInput } from "./state.ts";
import { type CompiledTable, compileTable } from "./table.ts";
import type { TableLimits } from "./table-size.ts";
import { type LocalWorkloadView, type RouteGroupView, type RouteViews, type SandboxView, viewKey } from "./views.ts";

/** All routes of a cluster. */
export interface CompiledRoutes {
  /** Tables by the key of the Service, sorted. Services without routes are absent. */
  readonly tables: CompiledTables;
  readonly groups: ReadonlyMap<string, GroupReport>;
  readonly sandboxes: ReadonlyMap<string, SandboxReport>;
}

/** Compiles all routes from all objects. */
export function compileAll(views: RouteViews, limits?: TableLimits): CompiledRoutes {
  const { state, sandboxes, groups } = buildState(views);
  const tables = new Map<string, CompiledTable>();
  const serviceKeys = new Set(sandboxes.flatMap(({ routes }) => [...routes.keys()]));
  for (const key of [...serviceKeys].sort(compareText)) {
    const input = tableInput(state, key);
    if (input === undefined) continue;
    const compiled = compileTable(input, limits);
    if (hasContent(compiled)) tables.set(key, compiled);
  }
  return {
    tables,
    groups: new Map(sorted(groups).map((group) => [viewKey(group.view), groupReport(state, tables, group)])),
    sandboxes: new Map(
      sorted(sandboxes).map((sandbox) => [viewKey(sandbox.view), sandboxReport(state, tables, sandbox)]),
    ),
  };
}

function sorted<T extends SandboxState | GroupState>(states: readonly T[]): readonly T[] {
  return states.toSorted((a, b) => compareText(viewKey(a.view), viewKey(b.view)));
}

/** Reports whether a result must be kept, because it has a table or a problem to report. */
export function hasContent({ table, isRefused, refusedGroups, conflicts }: CompiledTable): boolean {
  return table !== undefined || isRefused || refusedGroups.length > 0 || conflicts.length > 0;
}

interface FullSandbox extends SandboxState {
  readonly groups: Set<GroupState>;
}

interface FullGroup extends GroupState {
  readonly members: Set<SandboxState>;
}

function buildState(views: RouteViews): {
  state: RouteState;
  sandboxes: readonly FullSandbox[];
  groups: readonly FullGroup[];
} {
  const workloads = new Map<string, LocalWorkloadView[]>();
  for (const view of views.workloads) push(workloads, `${view.namespace}/${view.sandbox}`, view);
  const sandboxes = [...views.sandboxes].map((view) => fullSandbox(view, workloads.get(viewKey(view)) ?? []));
  const groups = [...views.groups].map(fullGroup);
  const byNamespace = new Map<string, FullSandbox[]>();
  for (const sandbox of sandboxes) push(byNamespace, sandbox.view.namespace, sandbox);
  for (const group of groups) {
    for (const sandbox of byNamespace.get(group.view.namespace) ?? []) {
      if (!isMember(group, sandbox)) continue;
      group.members.add(sandbox);
      sandbox.groups.add(group);
    }
  }
  const overriders = new Map<string, SandboxState[]>();
  for (const sandbox of sandboxes) for (const key of sandbox.routes.keys()) push(overriders, key, sandbox);
  const naming = new Map<string, Set<GroupState>>();
  for (const group of groups) {
    for (const { targetSandbox } of group.view.routes) {
      const key = `${group.view.namespace}/${targetSandbox}`;
      naming.set(key, (naming.get(key) ?? new Set()).add(group));
    }
  }
  const claims = new Map<string, KeyClaim[]>();
  for (const { view } of sandboxes) claim(claims, "Sandbox", view);
  for (const { view } of groups) claim(claims, "RouteGroup", view);

  const sandboxByKey = new Map(sandboxes.map((sandbox) => [viewKey(sandbox.view), sandbox]));
  const groupByKey = new Map(groups.map((group) => [viewKey(group.view), group]));
  const serviceByKey = new Map([...views.services].map((service) => [viewKey(service), service]));
  const state: RouteState = {
    service: (key) => serviceByKey.get(key),
    sandbox: (key) => sandboxByKey.get(key),
    group: (key) => groupByKey.get(key),
    overriders: (key) => overriders.get(key) ?? [],
    groupsNaming: (key) => naming.get(key) ?? [],
    keyOwner: (key) => ownerOf(claims.get(key) ?? []),
  };
  return { state, sandboxes, groups };
}

function fullSandbox(view: SandboxView, workloads: readonly LocalWorkloadView[]): FullSandbox {
  const labels = effectiveLabels(view.metadataLabels, view.specLabels);
  return { view, labels, routes: routesOf(view, workloads), groups: new Set() };
}

function fullGroup(view: RouteGroupView): FullGroup {
  return {
    view,
    includes: compileMatch(view.match),
    selects: compileServiceSelector(view.selector),
    members: new Set(),
  };
}

function claim(claims: Map<string, KeyClaim[]>, kind: KeyClaim["kind"], view: SandboxView | RouteGroupView): void {
  if (view.routingKey !== undefined) push(claims, view.routingKey, claimOf(kind, view));
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
