// The Services that one sandbox overrides, and the workloads that serve them.

import type { EntryMode, OnUnavailable } from "@homeostat/routing";
import { compareAge } from "./keys.ts";
import type { EntryView, LocalWorkloadView, OverrideView, SandboxView } from "./views.ts";

/** The workload of a sandbox that serves one baseline Service. */
export interface SandboxRoute {
  /** Name of the entry, or of the Service that a LocalWorkload without an entry replaces. */
  readonly workload: string;
  readonly mode: EntryMode;
  readonly onUnavailable: OnUnavailable;
  readonly holdSeconds: number | undefined;
  readonly override: OverrideView;
}

/** Routes of a sandbox by the key of the baseline Service. */
export type SandboxRoutes = ReadonlyMap<string, SandboxRoute>;

/** Reports whether a sandbox takes part in routing. While it terminates or is suspended, all its requests go to the baseline. */
export function isRoutedSandbox({ isDeleting, isSuspended }: SandboxView): boolean {
  return !isDeleting && !isSuspended;
}

/**
 * Returns the routes of a sandbox. Each Service has one workload, by these rules:
 *
 * 1. A LocalWorkload comes before all entries, because a developer attached a machine on purpose. If there are several, the oldest one serves.
 * 2. Entries follow in the order of the spec.
 *
 * Entries with the mode Local have no routes of their own: without a machine, the baseline serves.
 */
export function routesOf(sandbox: SandboxView, workloads: Iterable<LocalWorkloadView>): SandboxRoutes {
  const routes = new Map<string, SandboxRoute>();
  const add = (
    source: Pick<EntryView, "onUnavailable" | "holdSeconds" | "overrides">,
    workload: string,
    mode: EntryMode,
  ) => {
    for (const override of source.overrides) {
      const key = `${override.namespace}/${override.service}`;
      if (routes.has(key) || !isServed(override, mode)) continue;
      const { onUnavailable, holdSeconds } = source;
      routes.set(key, { workload, mode, onUnavailable, holdSeconds, override });
    }
  };
  const attached = [...workloads].filter(({ isRouted, isDeleting }) => isRouted && !isDeleting);
  for (const each of attached.sort(compareAge)) add(each, each.workload, "Local");
  for (const each of sandbox.entries) if (each.mode !== "Local") add(each, each.name, each.mode);
  return routes;
}

/** Reports whether requests of an override have a destination. */
export function isServed({ targetService, ports }: OverrideView, mode: EntryMode): boolean {
  return mode === "Virtual" || (targetService !== undefined && ports.length > 0);
}
