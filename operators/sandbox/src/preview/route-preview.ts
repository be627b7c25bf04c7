// Compares the routes of requests before and after a change of a Sandbox or RouteGroup.

import { canonicalJson } from "@homeostat/core";
import type { RouteEntry } from "@homeostat/routing";
import type { CachedService } from "../build/service-view.ts";
import { isRefusal } from "../build/refusal.ts";
import { compileAll } from "../routes/compile-all.ts";
import { sandboxView, serviceView } from "../routes/object-views.ts";
import type { EntryView, RouteGroupView, SandboxView } from "../routes/views.ts";
import { viewKey } from "../routes/views.ts";
import type { CachedSandbox } from "../api/sandbox.ts";
import type { EntryPreview } from "./fork-preview.ts";

/** An entry of a route table that a change adds or removes. */
export interface RouteChange {
  readonly change: "added" | "removed";
  /** The Service of the baseline: `shop/cart`. */
  readonly service: string;
  readonly entry: RouteEntry;
}

/** A Service that two sandboxes of a group change. */
export interface PreviewedConflict {
  readonly group: string;
  readonly service: string;
  readonly winner: string | undefined;
  readonly losers: readonly string[];
}

/** Routes that a change adds and removes, and the conflicts that it causes. */
export interface RoutePreview {
  readonly changes: readonly RouteChange[];
  readonly conflicts: readonly PreviewedConflict[];
}

/** Sandboxes and groups of one namespace. */
export interface NamespaceRoutes {
  readonly sandboxes: readonly SandboxView[];
  readonly groups: readonly RouteGroupView[];
}

/** Compares the routes of a namespace before and after a change, with the compiler of the operator. */
export function compareRoutes(
  before: NamespaceRoutes,
  after: NamespaceRoutes,
  services: readonly CachedService[],
): RoutePreview {
  const views = services.map((service) => serviceView(service, "None"));
  const [old, now] = [before, after].map((routes) => compileAll({ ...routes, workloads: [], services: views }));
  const entriesBefore = entriesOf(old?.tables);
  const entriesAfter = entriesOf(now?.tables);
  const missingIn = (others: ReadonlyMap<string, Placed>, change: RouteChange["change"]) => {
    return ([key, placed]: readonly [string, Placed]): RouteChange[] =>
      others.has(key) ? [] : [{ change, ...placed }];
  };
  return {
    changes: [
      ...[...entriesAfter].flatMap(missingIn(entriesBefore, "added")),
      ...[...entriesBefore].flatMap(missingIn(entriesAfter, "removed")),
    ],
    conflicts: [...(now?.groups ?? [])].flatMap(([group, { conflicts }]) => {
      const known = new Set(old?.groups.get(group)?.conflicts.map((each) => canonicalJson(each)));
      return conflicts.filter((each) => !known.has(canonicalJson(each))).map((each) => ({ group, ...each }));
    }),
  };
}

interface Placed {
  readonly service: string;
  readonly entry: RouteEntry;
}

/** Returns the entries of all tables by their content. */
function entriesOf(tables: ReturnType<typeof compileAll>["tables"] | undefined): ReadonlyMap<string, Placed> {
  const entries = [...(tables ?? [])].flatMap(([service, { table }]) =>
    (table?.entries ?? []).map((entry): [string, Placed] => [canonicalJson([service, entry]), { service, entry }]),
  );
  return new Map(entries);
}

/** Returns the view of a sandbox whose forks are those of a preview instead of those of its status. */
export function previewedView(
  sandbox: CachedSandbox,
  routingKey: string,
  previews: readonly EntryPreview[],
): SandboxView {
  const view = sandboxView({ ...sandbox, status: { ...sandbox.status, routingKey } });
  const overrides = new Map(previews.map((preview) => [preview.entry.name, overridesOf(preview)]));
  return {
    ...view,
    entries: view.entries.map((entry) => ({ ...entry, overrides: overrides.get(entry.name) ?? entry.overrides })),
  };
}

function overridesOf({ entry, fork, services }: EntryPreview): EntryView["overrides"] {
  if (fork !== undefined) {
    if (isRefusal(fork)) return [];
    return fork.services.services.map(({ baseline, service: { metadata, spec } }) => ({
      namespace: metadata.namespace,
      service: baseline,
      targetService: metadata.name,
      ports: (spec?.ports ?? []).filter(({ protocol = "TCP" }) => protocol === "TCP").map(({ port }) => port),
    }));
  }
  // An entry with the mode Local has routes once a machine is attached.
  if (entry.mode !== "Virtual") return [];
  return services.map(({ namespace, name, ports }) => ({
    namespace,
    service: name,
    targetService: undefined,
    ports: ports.filter(({ protocol = "TCP" }) => protocol === "TCP").map(({ port }) => port),
  }));
}

/** Returns views in which one object is replaced or added. */
export function withView<T extends { readonly namespace: string; readonly name: string }>(
  views: readonly T[],
  view: T,
): T[] {
  return [...views.filter((each) => viewKey(each) !== viewKey(view)), view];
}
