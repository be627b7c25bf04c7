// Previews the forks of a Sandbox and their effects.

import type { DeepReadonly, KubeObject } from "@homeostat/core";
import type { CachedSandbox, ServiceEntry } from "../api/sandbox.ts";
import { type Baseline, readBaseline, workloadRefOf } from "../build/baseline.ts";
import type { CachedService } from "../build/service-view.ts";
import type { PolicyWorld } from "../policy/denials.ts";
import {
  type EntryPreview,
  previewEntries,
  type PreviewWorld,
  unknownKey,
  withIdentity,
} from "../preview/fork-preview.ts";
import { previewedObjects, previewLines, type PreviewLine } from "../preview/preview.ts";
import { compareRoutes, previewedView, withView } from "../preview/route-preview.ts";
import { routeGroupView, sandboxView } from "../routes/object-views.ts";
import type { OperatorConfig } from "../settings/config.ts";
import { mapBounded } from "./bounded.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { routingKeyOf } from "./uniqueness.ts";

/** An entry and its workload. */
export interface EntryWorkload {
  readonly entry: DeepReadonly<ServiceEntry>;
  /** Namespace of the workload. */
  readonly namespace: string;
  readonly workload: KubeObject | undefined;
}

/** Forks that a Sandbox would have, and those of the same entries before the change. */
export interface PreviewedForks {
  readonly routingKey: string;
  readonly previews: readonly EntryPreview[];
  readonly before: readonly EntryPreview[];
  /** Services by namespace, as far as they were read. */
  readonly services: ReadonlyMap<string, readonly CachedService[]>;
}

/** Input of {@link readForks}. */
export interface ForksInput {
  readonly object: CachedSandbox;
  readonly old: CachedSandbox | undefined;
  readonly entries: readonly EntryWorkload[];
  /** Names of entries that are new or changed. */
  readonly changed: ReadonlySet<string>;
}

/** Reads the Services of the namespaces of entries and derives forks. Entries that need no check are omitted, except in a dry run. */
export async function readForks(
  { object, old, entries, changed }: ForksInput,
  tools: {
    readonly reader: Pick<ClusterReader, "services" | "workload">;
    readonly signal: AbortSignal;
    readonly policyOf: PolicyWorld["policyOf"];
    readonly config: OperatorConfig;
    /** Namespace of the Sandbox. */
    readonly namespace: string;
    readonly isDryRun: boolean;
    readonly isValid: boolean;
  },
): Promise<PreviewedForks> {
  const { reader, signal, policyOf, config, isDryRun } = tools;
  const isNeeded = ({ entry, workload }: EntryWorkload): boolean =>
    workload !== undefined && (isDryRun || (changed.has(entry.name) && needsServices(entry)));
  const needed = entries.filter(isNeeded);
  const [services, baselines] = await Promise.all([
    readServices(new Set(needed.map(({ namespace }) => namespace)), { reader, signal }),
    mapBounded(needed, async (each) => [each.entry.name, await baselineOf(each, { reader, signal })] as const),
  ]);
  const routingKey = routingKeyOf(object) ?? unknownKey;
  const found = new Map(baselines);
  const world: PreviewWorld = {
    baselineOf: ({ name }) => found.get(name),
    servicesOf: (namespace) => services.get(namespace) ?? [],
    policyOf,
  };
  const indexesIn = ({ spec }: CachedSandbox): number[] =>
    spec.services.flatMap(({ name }, index) => (found.has(name) ? [index] : []));
  // No fork can be derived from an invalid spec. Its problems are reported, and the guard checks the spec once they are fixed.
  if (!tools.isValid) return { routingKey, previews: [], before: [], services };
  return {
    routingKey,
    previews: previewEntries(withIdentity(object, tools.namespace), {
      indexes: indexesIn(object),
      routingKey,
      world,
      config,
    }),
    before: old === undefined ? [] : previewEntries(old, { indexes: indexesIn(old), routingKey, world, config }),
    services,
  };
}

/** Reports whether the check of an entry depends on the Services of its namespace. */
function needsServices({ mode, patches = [], preserveLabels, serviceNames }: DeepReadonly<ServiceEntry>): boolean {
  return serviceNames !== undefined || (mode === "Fork" && (patches.length > 0 || preserveLabels.length > 0));
}

/** Reads the Services of namespaces. */
export async function readServices(
  namespaces: ReadonlySet<string>,
  { reader, signal }: { readonly reader: Pick<ClusterReader, "services">; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, readonly CachedService[]>> {
  return new Map(
    await mapBounded([...namespaces], async (name) => [name, await reader.services(name, signal)] as const),
  );
}

/** Returns the baseline of an entry. A Rollout may take its pod template from another workload. */
async function baselineOf(
  { entry, namespace, workload }: EntryWorkload,
  { reader, signal }: { readonly reader: Pick<ClusterReader, "workload">; readonly signal: AbortSignal },
): Promise<Baseline | undefined> {
  if (workload === undefined) return undefined;
  const { kind } = entry.targetRef;
  const reference = kind === "Rollout" ? workloadRefOf(workload) : undefined;
  const referenced =
    reference?.kind === "Deployment" || reference?.kind === "StatefulSet"
      ? await reader.workload({ apiVersion: "apps/v1", kind: reference.kind, name: reference.name }, namespace, signal)
      : undefined;
  return readBaseline({ kind, object: workload, referenced });
}

/** Returns the effects of a new or changed Sandbox. */
export async function sandboxPreview(
  {
    object,
    old,
    forks,
  }: { readonly object: CachedSandbox; readonly old: CachedSandbox | undefined; readonly forks: PreviewedForks },
  {
    reader,
    signal,
    namespace,
  }: {
    readonly reader: Pick<ClusterReader, "routeGroups" | "sandboxes">;
    readonly signal: AbortSignal;
    readonly namespace: string;
  },
): Promise<PreviewLine[]> {
  const [sandboxes, groups] = await Promise.all([reader.sandboxes(namespace, signal), reader.routeGroups(signal)]);
  const { routingKey, previews, before, services } = forks;
  const others = sandboxes.filter(({ metadata }) => metadata.name !== object.metadata.name).map(sandboxView);
  const groupViews = groups.filter(({ metadata }) => metadata.namespace === namespace).map(routeGroupView);
  const placed = withIdentity(object, namespace);
  const now = previewedView(placed, routingKey, previews);
  const then = old === undefined ? others : withView(others, previewedView(old, routingKey, before));
  const routes = compareRoutes(
    { sandboxes: then, groups: groupViews },
    { sandboxes: withView(others, now), groups: groupViews },
    [...services.values()].flat(),
  );
  const known = new Set(old === undefined ? [] : previewedObjects(old, before).map(({ name }) => name));
  const objects = previewedObjects(placed, previews).filter(({ name }) => !known.has(name));
  return previewLines({ objects, routes, hasUid: old !== undefined });
}
