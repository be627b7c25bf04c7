import type { DeepReadonly, KubeObject, ResourceType } from "homeostat";
import { ConflictError, type Stored } from "@homeostat/core";
import { Secret } from "@homeostat/kubernetes/core/v1";
import type { Component } from "../api/identity.ts";
import { type Applied, applyWish, describe } from "../apply/apply.ts";
import { type Decisions, type DesiredObject, desiredObjects } from "../build/desired-objects.ts";
import { denyAllName } from "../build/network-policies.ts";
import type { ResolvedTenant } from "../build/resolve.ts";
import { isOwned } from "../ownership/owned.ts";
import { events } from "./events.ts";
import type { Failures } from "./failures.ts";
import type { TenantContext } from "./tenant-context.ts";
import { prunedTypes } from "./watches.ts";

/** The input of `applyChildren`. */
export interface ChildrenInput {
  readonly resolved: ResolvedTenant;
  readonly decisions: Decisions;
  /** The Redis Secret as it was just read. */
  readonly secret: Stored<Secret> | undefined;
  readonly failures: Failures;
  /** Whether an earlier reconcile of the same generation applied everything: then a missing object was deleted by others. */
  readonly wasComplete: boolean;
}

/** Applies all desired objects in order, then deletes those that are no longer desired. */
export async function applyChildren(context: TenantContext, input: ChildrenInput): Promise<void> {
  const { resolved, decisions, failures } = input;
  const desired = desiredObjects(resolved, decisions);
  const failed = new Set<DesiredObject>();
  for (const each of desired) {
    if (isHeldBack(each, failed)) {
      failed.add(each);
      continue;
    }
    try {
      await apply(context, input, each);
    } catch (error) {
      context.runtime.signal.throwIfAborted();
      failed.add(each);
      const failure = failures.add(each.component, error);
      if (failure.class === "conflict") context.eventOnce(events.resourceConflict(failure.message));
      context.runtime.log.warn("Failed to apply object", { step: each.step, object: each.title, error });
    }
  }
  await prune(context, input, desired);
}

/** Workloads must not start without the policy that isolates them, nor with a password that is not in the Secret. */
function isHeldBack({ type }: DesiredObject, failed: ReadonlySet<DesiredObject>): boolean {
  if (type.kind !== "StatefulSet" && type.kind !== "Deployment") return false;
  return [...failed].some(
    (other) =>
      other.type.kind === "Secret" ||
      (other.type.kind === "NetworkPolicy" && other.object.metadata.name === denyAllName),
  );
}

/** Kinds whose creation and update are not worth an event. */
const quiet: ReadonlySet<string> = new Set(["ServiceAccount", "PodDisruptionBudget"]);

async function apply(
  context: TenantContext,
  { secret, wasComplete }: ChildrenInput,
  { type, object, title }: DesiredObject,
): Promise<void> {
  const { metrics, deduplicator } = context.dependencies;
  const { cache, client, signal, log } = context.runtime;
  const { tenant, uid, now } = context;
  const isFresh = type.kind === Secret.kind;
  const { namespace, name } = object.metadata;
  const known = isFresh ? secret : cache.get(type, { namespace, name });
  let applied: Applied;
  try {
    applied = await applyWish({ tenant, client, signal }, { type, object, known, isFresh });
  } catch (error) {
    if (known === undefined) metrics.recordCreation(type.kind, "failure");
    throw error;
  }
  const isDrift = applied.is === "corrected" || (applied.is === "created" && wasComplete);
  if (isDrift) metrics.recordDrift(type.kind);
  const isReportDue = isDrift && deduplicator.isDriftDue({ uid, kind: type.kind, now });
  switch (applied.is) {
    case "same":
      return;
    case "created":
      metrics.recordCreation(type.kind, "success");
      if (!wasComplete && !quiet.has(type.kind)) context.event(events.created(title));
      else if (isReportDue) context.event(events.deletionCorrected(describe(object)));
      return;
    case "updated":
      if (!quiet.has(type.kind)) context.event(events.updated(title));
      return;
    case "corrected":
      log.info("Corrected drift", { object: describe(object), ...applied.change });
      if (isReportDue) context.event(events.driftCorrected(describe(object), applied.change));
  }
}

/** Deletes owned objects that are no longer desired. Among policies the denying one goes first. */
async function prune(
  context: TenantContext,
  { resolved: { namespace }, secret, failures, decisions }: ChildrenInput,
  desired: readonly DesiredObject[],
): Promise<void> {
  const kept = new Set(desired.map(({ type, object }) => `${type.kind} ${object.metadata.name}`));
  for (const type of prunedTypes) {
    const undesired = context.runtime.cache
      .list(type, { namespace })
      .filter((object) => !kept.has(`${type.kind} ${object.metadata.name}`) && isOwned(object, context.tenant));
    for (const object of undesired.toSorted(denyFirst)) await remove(context, { type, object, failures });
  }
  if (decisions.auth.state === "disabled" && secret !== undefined && isOwned(secret, context.tenant)) {
    await remove(context, { type: Secret, object: secret, failures });
  }
}

function denyFirst({ metadata: a }: DeepReadonly<KubeObject>, { metadata: b }: DeepReadonly<KubeObject>): number {
  return Number(b.name === denyAllName) - Number(a.name === denyAllName);
}

interface Removal {
  readonly type: ResourceType;
  readonly object: DeepReadonly<KubeObject>;
  readonly failures: Failures;
}

async function remove(context: TenantContext, { type, object, failures }: Removal): Promise<void> {
  const { client, signal } = context.runtime;
  const { metrics } = context.dependencies;
  const { namespace, name = "", uid, resourceVersion, deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined || uid === undefined) return;
  try {
    // An object that changed since it was read is decided on again.
    const preconditions = { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    await client.delete(type, { namespace, name }, { preconditions, propagation: "Background", signal });
    metrics.recordDeletion(type.kind, "success");
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ConflictError)) metrics.recordDeletion(type.kind, "failure");
    failures.add(componentOf(type), error);
  }
}

function componentOf({ kind }: ResourceType): Component {
  if (kind === "NetworkPolicy") return "network-policy";
  if (kind === "RoleBinding") return "access";
  return kind === "Secret" || kind === "PodDisruptionBudget" ? "redis" : "quota";
}
