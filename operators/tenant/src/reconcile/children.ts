import type { Stored } from "homeostat";
import { desired, type DesiredObject, type ResourceType } from "homeostat";
import { ConflictError } from "@homeostat/core";
import { Secret } from "@homeostat/kubernetes/core/v1";
import type { ObjectOutcome, PrunedObject } from "@homeostat/runtime";
import type { Component } from "../api/identity.ts";
import { type Decisions, type DesiredChild, desiredChildren, steps } from "../build/desired-children.ts";
import { denyAllName } from "../build/network-policies.ts";
import { events } from "./events.ts";
import type { TenantContext } from "./tenant-context.ts";

/**
 * Applies all desired children step by step, and deletes those that are no longer desired. A failure does not stop the others.
 *
 * `secret` is the Redis Secret as it was just read. `wasComplete`: an earlier reconcile of the same generation applied everything, so a
 * missing object was deleted by another client.
 */
export async function applyChildren(
  context: TenantContext,
  decisions: Decisions,
  { secret, wasComplete }: { readonly secret: Stored<Secret> | undefined; readonly wasComplete: boolean },
): Promise<void> {
  const children = asManaged(desiredChildren(context.resolved, decisions), secret);
  const tiers = steps.map((name) => ({
    name,
    objects: [...children].flatMap(([object, { step }]) => (step === name ? [object] : [])),
  }));
  const isSecretUnused = decisions.auth.state === "disabled" && secret !== undefined;
  const remove = isSecretUnused ? [{ type: Secret, object: secret }] : [];
  const { outcomes, pruned } = await context.runtime.managed.sync(tiers, { remove, wasComplete });
  for (const [object, child] of children) {
    const outcome = outcomes.get(object);
    if (outcome !== undefined) reportOutcome(context, child, { outcome, secret });
  }
  for (const each of pruned) reportPruned(context, each);
}

/** Makes workloads depend on the isolating policy and the Secret: they must not start without these. */
function asManaged(
  children: readonly DesiredChild[],
  secret: Stored<Secret> | undefined,
): ReadonlyMap<DesiredObject, DesiredChild> {
  const all = new Map<DesiredObject, DesiredChild>();
  const required: DesiredObject[] = [];
  for (const child of children) {
    const { type, object } = child;
    const isWorkload = type.kind === "StatefulSet" || type.kind === "Deployment";
    const managedObject = desired(type, object, {
      ...(isWorkload && { requires: [...required] }),
      ...(type.kind === "Secret" && { observed: secret ?? "absent" }),
    });
    all.set(managedObject, child);
    if (type.kind === "Secret" || object.metadata.name === denyAllName) required.push(managedObject);
  }
  return all;
}

/** Kinds whose creation and update are not reported as events. */
const kindsWithoutEvents: ReadonlySet<string> = new Set(["ServiceAccount", "PodDisruptionBudget"]);

function reportOutcome(
  context: TenantContext,
  { step, component, title, type, object }: DesiredChild,
  { outcome, secret }: { readonly outcome: ObjectOutcome; readonly secret: Stored<Secret> | undefined },
): void {
  const { metrics } = context.dependencies;
  const { cache, log } = context.runtime;
  // The runtime records the event about drift.
  if ("drift" in outcome && outcome.drift !== undefined) metrics.drift.inc({ kind: type.kind });
  switch (outcome.result) {
    case "created":
      metrics.objectCreations.inc({ resource_type: type.kind, result: "success" });
      if (outcome.drift === undefined && !kindsWithoutEvents.has(type.kind)) context.event(events.created(title));
      return;
    case "updated":
    case "replaced":
      if (!kindsWithoutEvents.has(type.kind)) context.event(events.updated(title));
      return;
    case "failed": {
      const { namespace, name } = object.metadata;
      const known = type.kind === "Secret" ? secret : cache.get(type, { namespace, name });
      if (known === undefined) metrics.objectCreations.inc({ resource_type: type.kind, result: "failure" });
      const failure = context.failures.add(component, title, outcome.error);
      if (failure.class === "conflict") context.eventOnce(events.resourceConflict(failure.message));
      log.warn("Failed to apply object", { step, object: title, error: outcome.error });
      return;
    }
    default:
  }
}

function reportPruned(context: TenantContext, { type, key, result, error }: PrunedObject): void {
  const { metrics } = context.dependencies;
  if (result === "deleted" || result === "deleting")
    metrics.objectDeletions.inc({ resource_type: type.kind, result: "success" });
  if (result !== "failed") return;
  if (!(error instanceof ConflictError)) metrics.objectDeletions.inc({ resource_type: type.kind, result: "failure" });
  context.failures.add(componentOf(type), `${type.kind} ${key.name}`, error);
}

function componentOf({ kind }: ResourceType): Component {
  if (kind === "NetworkPolicy") return "network-policy";
  if (kind === "RoleBinding") return "access";
  return kind === "Secret" || kind === "PodDisruptionBudget" ? "redis" : "quota";
}
