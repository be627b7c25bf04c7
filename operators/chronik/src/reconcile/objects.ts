import { desired, type DesiredObject, type Stored, TransientError } from "homeostat";
import {
  ApplyConflictError,
  type ConflictPolicy,
  type ObjectOutcome,
  type ObjectRef,
  type SyncResult,
  type Tier,
} from "@homeostat/runtime";
import { ChronikNodeGroup } from "../api/chronik-node-group.ts";
import { annotations } from "../api/annotations.ts";
import { type ApplyForce, applyForceOf } from "../api/apply-force.ts";
import { type Component, fieldManager } from "../api/identity.ts";
import { labels, selectorText } from "../api/labels.ts";
import { names } from "../api/names.ts";
import { nodeGroup } from "../build/autoscalers.ts";
import type { ChildObject } from "../build/metadata.ts";
import { type Decisions, type DesiredObject as BuiltObject, desiredObjects, steps } from "../build/desired-objects.ts";
import { componentsOf } from "../build/resolve.ts";
import { podsOf } from "../observe/observe.ts";
import type { ClusterContext } from "./cluster-context.ts";
import { events } from "./events.ts";

/** Input of {@link applyObjects}. */
export interface ApplyInput {
  readonly objects: ObjectsToApply;
  /** Objects that are not desired but must not be pruned either. */
  readonly keep: readonly ObjectRef[];
  /** True if an earlier reconcile of the same generation applied everything. */
  readonly wasComplete: boolean;
}

/** The desired objects that may be applied now. */
export interface ObjectsToApply {
  /** All inputs that they depend on, except the cluster itself. */
  readonly inputs: string;
  /** Builds them. Most reconciles find the inputs of an earlier one, and never call it. */
  readonly build: () => readonly BuiltObject[];
}

/** Input of {@link objectsToApply}. */
export interface BuildInput {
  readonly decisions: Decisions;
  /** Components whose workloads must not be created or changed now. */
  readonly held: ReadonlySet<Component>;
}

/** Returns the desired objects that may be applied now. */
export function objectsToApply(
  { resolved, settings }: Pick<ClusterContext, "resolved" | "settings">,
  { decisions, held }: BuildInput,
): ObjectsToApply {
  let built: readonly BuiltObject[] | undefined;
  const build = (): readonly BuiltObject[] =>
    (built ??= desiredObjects(resolved, decisions).filter(
      (one) => one.mode === "apply" && !(isWorkload(one) && one.component !== "cluster" && held.has(one.component)),
    ));
  return { inputs: JSON.stringify([settings, decisions, [...held].toSorted()]), build };
}

/** Applies all desired objects in order, and deletes those that are no longer desired. Throws if an object failed. */
export async function applyObjects(context: ClusterContext, input: ApplyInput): Promise<void> {
  const { objects, keep, wasComplete } = input;
  let all: ReadonlyMap<DesiredObject, BuiltObject> = new Map();
  const tiers = (): readonly Tier[] => {
    all = asManaged(context.name, objects.build());
    return steps.map((name) => ({
      name,
      objects: [...all].flatMap(([object, { step }]) => (step === name ? [object] : [])),
    }));
  };
  const result = await context.runtime.managed.sync(tiers, {
    inputs: objects.inputs,
    keep,
    wasComplete: (object) => wasComplete && all.get(object)?.isTransient !== true,
    // A cluster with an unknown value was refused before.
    conflicts: policies[applyForceOf(context.cluster.metadata) ?? "never"],
    reapplyMs: context.settings.forceApplySeconds * 1_000,
  });
  report(context, all, result);
  result.throwIfFailed();
}

/** Values of the annotation `chronik.stream/apply-force` as options of `managed.sync`. */
const policies: Readonly<Record<ApplyForce, ConflictPolicy>> = { owned: "take", always: "force", never: "fail" };

function isWorkload({ type: { kind } }: BuiltObject): boolean {
  return kind === "StatefulSet" || kind === "Deployment";
}

/**
 * Makes workloads depend on the ConfigMaps: pods must not start with an old configuration, and controllers must not start before it is recorded that
 * they rejoin a quorum.
 */
function asManaged(cluster: string, built: readonly BuiltObject[]): ReadonlyMap<DesiredObject, BuiltObject> {
  const all = new Map<DesiredObject, BuiltObject>();
  const required: DesiredObject[] = [];
  for (const one of built) {
    const object = desired(one.type, one.object, {
      ...(isWorkload(one) && { requires: [...required] }),
      adopt: ({ metadata }) => metadata.annotations?.[annotations.adopt] === cluster,
    });
    all.set(object, one);
    if (one.type.kind === "ConfigMap") required.push(object);
  }
  return all;
}

/** Results of `managed.sync` as labels of the metric. */
const results = {
  unchanged: "unchanged",
  created: "created",
  updated: "changed",
  corrected: "changed",
  replaced: "changed",
  adopted: "changed",
  blocked: undefined,
  failed: "failed",
} as const;

function report(
  context: ClusterContext,
  all: ReadonlyMap<DesiredObject, BuiltObject>,
  { outcomes, settled, pruned }: SyncResult,
): void {
  const { metrics } = context.dependencies;
  for (const { type } of settled) metrics.applies.inc({ kind: type.kind, result: results.unchanged });
  const counts = {
    created: new Map<string, number>(),
    updated: new Map<string, number>(),
    pruned: new Map<string, number>(),
  };
  const count = (change: keyof typeof counts, kind: string): void => {
    counts[change].set(kind, (counts[change].get(kind) ?? 0) + 1);
  };
  for (const [object, { type, component }] of all) {
    const outcome = outcomes.get(object);
    if (outcome === undefined) continue;
    const result = resultOf(outcome);
    if (result !== undefined) metrics.applies.inc({ kind: type.kind, result });
    if ("taken" in outcome && outcome.taken !== undefined)
      context.event(events.fieldsTakenBack(`${type.kind} ${outcome.live.metadata.name}`, outcome.taken));
    const isDrift = "drift" in outcome && outcome.drift !== undefined;
    if (isDrift) metrics.drift.inc({ kind: type.kind });
    if (outcome.result === "created" && type.kind === "StatefulSet" && hasPods(context, component))
      context.event(events.statefulSetRecreated(component));
    if (outcome.result === "replaced") context.event(events.recreated(type.kind, outcome.live.metadata.name));
    // The runtime records the events about drift. Slots change with every search pod that becomes ready, which is no news.
    else if (type.kind === "EndpointSlice") continue;
    else if (outcome.result === "created") count("created", type.kind);
    else if (outcome.result === "updated") count("updated", type.kind);
  }
  for (const { type, result } of pruned) if (result === "deleted" || result === "deleting") count("pruned", type.kind);
  for (const change of ["created", "updated", "pruned"] as const)
    if (counts[change].size > 0) context.event(events[change](counts[change]));
}

/** Reports whether pods of a component exist. */
function hasPods({ runtime }: ClusterContext, component: string): boolean {
  return podsOf(runtime).some(({ metadata }) => metadata.labels?.[labels.clusterComponent] === component);
}

/** Returns the label of the metric for an outcome; undefined for an object that was not attempted. */
function resultOf(outcome: ObjectOutcome): string | undefined {
  if ("taken" in outcome && outcome.taken !== undefined) return "forced";
  if (outcome.result === "failed" && outcome.error instanceof ApplyConflictError) return "conflict";
  return results[outcome.result];
}

/** Creates the scale targets of autoscalers, before the autoscalers that refer to them. */
export async function createNodeGroups(context: ClusterContext, replicas: Decisions["replicas"]): Promise<void> {
  const {
    runtime: { owned },
    resolved,
  } = context;
  for (const component of componentsOf(resolved)) {
    const group = nodeGroup(resolved, component, replicas[component]);
    if (group === undefined || owned.nodeGroups.get(group.metadata.name) !== undefined) continue;
    const { isNew, object } = await owned.nodeGroups.create(group);
    if (!isNew) await restoreLabels(context, object, group);
  }
}

/**
 * Restores the labels of a scale target that exists but is not cached. Without them, the count of the autoscaler is unknown, and the replica counts of
 * this reconcile are wrong: the error keeps them from being applied.
 */
async function restoreLabels(
  { runtime: { client, signal } }: ClusterContext,
  { metadata: { namespace, name, uid } }: Stored<ChronikNodeGroup>,
  group: ChildObject<ChronikNodeGroup>,
): Promise<never> {
  const merge = { metadata: { uid, labels: { ...group.metadata.labels } } };
  await client.patch(ChronikNodeGroup, { namespace, name }, { merge }, { fieldManager, signal });
  throw new TransientError(`ChronikNodeGroup ${name} had lost its labels, which were restored`);
}

/** Counts of a component for the status of its scale target. */
export interface GroupCounts {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly effectiveReplicas: number;
}

/** Deletes scale targets without autoscaler, and reports the counts of the others. */
export async function settleNodeGroups(
  context: ClusterContext,
  countsOf: (component: Component) => GroupCounts,
): Promise<void> {
  const {
    runtime: { owned, client, signal },
    resolved,
    name: cluster,
    namespace,
  } = context;
  for (const component of ["controller", "ingest", "search"] as const) {
    const name = names.component(cluster, component);
    const live = owned.nodeGroups.get(name);
    if (live === undefined) continue;
    if (resolved.autoscalers[component] === undefined) {
      await owned.nodeGroups.delete(name);
      continue;
    }
    const status = { ...countsOf(component), selector: selectorText(cluster, component) };
    const isSame = Object.entries(status).every(([key, value]) =>
      Object.entries(live.status ?? {}).some(([k, v]) => k === key && v === value),
    );
    if (isSame) continue;
    const how = { fieldManager, signal, subresource: "status" } as const;
    await client.patch(ChronikNodeGroup, { namespace, name }, { merge: { status } }, how);
  }
}
