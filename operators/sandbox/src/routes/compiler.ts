// The incremental compiler. It keeps indexes over all objects and compiles only the tables that a change affects:
//
//   changed object           tables that are compiled again
//   Sandbox, LocalWorkload   those of the Services that the sandbox overrides, before and after the change
//   RouteGroup               those of the Services that its members and the targets of its routes override, before and after the change
//   Service                  its own
//   owner of a routing key   those of the Services that the previous and the new owner override, and those with explicit routes for the key
//
// The cost of a change of a sandbox depends on the sizes of these tables, not on the number of sandboxes.

import { type CompiledRoutes, hasContent } from "./compile-all.ts";
import { compareText } from "./keys.ts";
import { type GroupReport, groupReport, type SandboxReport, sandboxReport } from "./reports.ts";
import { LiveState } from "./live-state.ts";
import { tableInput } from "./state.ts";
import { type CompiledTable, compileTable } from "./table.ts";
import type { TableLimits } from "./table-size.ts";
import { type LocalWorkloadView, type RouteGroupView, type SandboxView, type ServiceView, viewKey } from "./views.ts";

/** A change of one object. The view is undefined if the object was deleted. */
export type RouteChange =
  | { readonly kind: "Sandbox"; readonly key: string; readonly view: SandboxView | undefined }
  | { readonly kind: "RouteGroup"; readonly key: string; readonly view: RouteGroupView | undefined }
  | { readonly kind: "LocalWorkload"; readonly key: string; readonly view: LocalWorkloadView | undefined }
  | { readonly kind: "Service"; readonly key: string; readonly view: ServiceView | undefined };

/** A table that changed. */
export interface TableChange {
  /** `namespace/name` of the Service. */
  readonly key: string;
  /** The new result; undefined if no routes are left. */
  readonly compiled: CompiledTable | undefined;
}

/** The result of a compilation. */
export interface RouteChanges {
  /** Tables whose content changed, sorted by key. */
  readonly tables: readonly TableChange[];
  /** Keys of the groups whose reports may have changed, sorted. */
  readonly groups: readonly string[];
  /** Keys of the sandboxes whose reports may have changed, sorted. */
  readonly sandboxes: readonly string[];
}

/**
 * Compiles route tables incrementally: `apply` takes changes, `compile` returns the tables that they change.
 *
 * If several changes precede a compilation, each affected table is compiled once.
 */
export class RouteCompiler {
  readonly #state = new LiveState();
  readonly #tables = new Map<string, CompiledTable>();
  readonly #limits: TableLimits | undefined;

  constructor(limits?: TableLimits) {
    this.#limits = limits;
  }

  /** Records a change of one object. A view that equals the known one has no effect. */
  apply(change: RouteChange): void {
    if (change.kind === "Sandbox") this.#state.setSandbox(change.key, change.view);
    else if (change.kind === "RouteGroup") this.#state.setGroup(change.key, change.view);
    else if (change.kind === "LocalWorkload") this.#state.setWorkload(change.key, change.view);
    else this.#state.setService(change.key, change.view);
  }

  /** Returns the keys of all objects of a kind. */
  keys(kind: RouteChange["kind"]): readonly string[] {
    if (kind === "Sandbox") return [...this.#state.sandboxKeys()];
    if (kind === "RouteGroup") return [...this.#state.groupKeys()];
    return [...(kind === "LocalWorkload" ? this.#state.workloadKeys() : this.#state.serviceKeys())];
  }

  /** Compiles the tables that the changes since the last call touched. */
  compile(): RouteChanges {
    const { services, groups, sandboxes } = this.#state.touched;
    const tables = [...services].sort(compareText).flatMap((key) => this.#compileService(key) ?? []);
    const changes = { tables, groups: [...groups].sort(compareText), sandboxes: [...sandboxes].sort(compareText) };
    for (const set of [services, groups, sandboxes]) set.clear();
    return changes;
  }

  /** Returns the current table of a Service. */
  table(serviceKey: string): CompiledTable | undefined {
    return this.#tables.get(serviceKey);
  }

  /** Returns the routes of a group, as of the last compilation. */
  group(key: string): GroupReport | undefined {
    const group = this.#state.group(key);
    return group === undefined ? undefined : groupReport(this.#state, this.#tables, group);
  }

  /** Returns the routes of a sandbox, as of the last compilation. */
  sandbox(key: string): SandboxReport | undefined {
    const sandbox = this.#state.sandbox(key);
    return sandbox === undefined ? undefined : sandboxReport(this.#state, this.#tables, sandbox);
  }

  /** Returns everything, in the form of the full compilation. */
  snapshot(): CompiledRoutes {
    const sorted = (keys: Iterable<string>): string[] => [...keys].sort(compareText);
    const entries = <T>(keys: Iterable<string>, read: (key: string) => T | undefined): Map<string, T> =>
      new Map(sorted(keys).flatMap((key) => present(key, read(key))));
    return {
      tables: entries(this.#tables.keys(), (key) => this.#tables.get(key)),
      groups: entries(this.#state.groupKeys(), (key) => this.group(key)),
      sandboxes: entries(this.#state.sandboxKeys(), (key) => this.sandbox(key)),
    };
  }

  #compileService(key: string): TableChange | undefined {
    const before = this.#tables.get(key);
    const input = tableInput(this.#state, key);
    const compiled = input === undefined ? undefined : compileTable(input, this.#limits);
    const after = compiled !== undefined && hasContent(compiled) ? compiled : undefined;
    if (after === undefined) this.#tables.delete(key);
    else this.#tables.set(key, after);
    this.#touchReports(key, before, after);
    const isSame = before?.table?.version === after?.table?.version && before?.isRefused === after?.isRefused;
    return isSame ? undefined : { key, compiled: after };
  }

  /** Touches groups and sandboxes whose reports depend on the changed part of a table, which another group may have caused. */
  #touchReports(key: string, before: CompiledTable | undefined, after: CompiledTable | undefined): void {
    const { groups, sandboxes } = this.#state.touched;
    for (const group of changedGroups(before, after)) groups.add(group);
    if ((before?.isRefused ?? false) === (after?.isRefused ?? false)) return;
    for (const { view } of this.#state.overriders(key)) sandboxes.add(viewKey(view));
  }
}

/** Returns the groups whose part in a table changed. */
function changedGroups(before: CompiledTable | undefined, after: CompiledTable | undefined): ReadonlySet<string> {
  const changed = new Set<string>();
  const former = partsByGroup(before);
  const present = partsByGroup(after);
  for (const group of new Set([...former.keys(), ...present.keys()])) {
    if (former.get(group) !== present.get(group)) changed.add(group);
  }
  return changed;
}

/** Returns the part of each group in a table as text: its conflict, and whether the table contains it or leaves it out. */
function partsByGroup(compiled: CompiledTable | undefined): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  const add = (group: string, part: string): unknown => parts.set(group, `${parts.get(group) ?? ""}${part};`);
  for (const group of compiled?.groups ?? []) add(group, "routed");
  for (const { group } of compiled?.refusedGroups ?? []) add(group, "refused");
  for (const { group, winner = "", losers } of compiled?.conflicts ?? []) add(group, `${winner}>${losers.join(",")}`);
  return parts;
}

function present<T>(key: string, value: T | undefined): readonly (readonly [string, T])[] {
  return value === undefined ? [] : [[key, value]];
}
