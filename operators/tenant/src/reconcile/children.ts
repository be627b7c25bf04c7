import type { Stored } from "homeostat";
import { desired, type DesiredObject, type ResourceType } from "homeostat";
import { ConflictError } from "@homeostat/core";
import { Secret } from "@homeostat/kubernetes/core/v1";
import type { ObjectOutcome, PrunedObject } from "@homeostat/runtime";
import type { Component } from "../api/identity.ts";
import { type Decisions, type DesiredChild, desiredChildren, steps } from "../build/desired-children.ts";
import { denyAllName } from "../build/network-policies.ts";
import type { ResolvedTenant } from "../build/resolve.ts";
import { events } from "./events.ts";
import type { Failures } from "./failures.ts";
import type { TenantContext } from "./tenant-context.ts";

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

/** Applies all desired children step by step, and deletes those that are no longer desired. A failure does not stop the others. */
export async function applyChildren(context: TenantContext, input: ChildrenInput): Promise<void> {
  const { resolved, decisions, secret, failures, wasComplete } = input;
  const { managed } = context.runtime;
  const children = asManaged(desiredChildren(resolved, decisions), secret);
  const tiers = steps.map((name) => ({
    name,
    objects: [...children].flatMap(([object, { step }]) => (step === name ? [object] : [])),
  }));
  const isSecretUnused = decisions.auth.state === "disabled" && secret !== undefined;
  const remove = isSecretUnused ? [{ type: Secret, object: secret }] : [];
  const { outcomes, pruned } = await managed.sync(tiers, { remove, wasComplete });
  for (const [object, child] of children) {
    const outcome = outcomes.get(object);
    if (outcome !== undefined) reportOutcome(context, { child, outcome, failures, secret });
  }
  for (const each of pruned) reportPruned(context, each, failures);
}

/** Workloads must not start without the policy that isolates them, nor with a password that is not in the Secret. */
function asManaged(
  children: readonly DesiredChild[],
  secret: Stored<Secret> | undefined,
): ReadonlyMap<DesiredObject, DesiredChild> {
  const all = new Map<DesiredObject, DesiredChild>();
  const required: DesiredObject[] = [];
  for (const child of children) {
    const { type, object } = child;
    const isWorkload = type.kind === "StatefulSet" || type.kind === "Deployment";
    const made = desired(type, object, {
      ...(isWorkload && { requires: [...required] }),
      ...(type.kind === "Secret" && { observed: secret ?? "absent" }),
    });
    all.set(made, child);
    if (type.kind === "Secret" || object.metadata.name === denyAllName) required.push(made);
  }
  return all;
}

/** Kinds whose creation and update are not worth an event. */
const quiet: ReadonlySet<string> = new Set(["ServiceAccount", "PodDisruptionBudget"]);

interface ChildOutcome {
  readonly child: DesiredChild;
  readonly outcome: ObjectOutcome;
  readonly failures: Failures;
  readonly secret: Stored<Secret> | undefined;
}

function reportOutcome(
  context: TenantContext,
  { child: { step, component, title, type, object }, outcome, failures, secret }: ChildOutcome,
): void {
  const { metrics } = context.dependencies;
  const { cache, log } = context.runtime;
  // The runtime records the event about drift.
  if ("drift" in outcome && outcome.drift !== undefined) metrics.recordDrift(type.kind);
  switch (outcome.result) {
    case "created":
      metrics.recordCreation(type.kind, "success");
      if (outcome.drift === undefined && !quiet.has(type.kind)) context.event(events.created(title));
      return;
    case "updated":
    case "replaced":
      if (!quiet.has(type.kind)) context.event(events.updated(title));
      return;
    case "failed": {
      const { namespace, name } = object.metadata;
      const known = type.kind === "Secret" ? secret : cache.get(type, { namespace, name });
      if (known === undefined) metrics.recordCreation(type.kind, "failure");
      const failure = failures.add(component, title, outcome.error);
      if (failure.class === "conflict") context.eventOnce(events.resourceConflict(failure.message));
      log.warn("Failed to apply object", { step, object: title, error: outcome.error });
      return;
    }
    default:
  }
}

function reportPruned(context: TenantContext, { type, key, result, error }: PrunedObject, failures: Failures): void {
  const { metrics } = context.dependencies;
  if (result === "deleted" || result === "deleting") metrics.recordDeletion(type.kind, "success");
  if (result !== "failed") return;
  if (!(error instanceof ConflictError)) metrics.recordDeletion(type.kind, "failure");
  failures.add(componentOf(type), `${type.kind} ${key.name}`, error);
}

function componentOf({ kind }: ResourceType): Component {
  if (kind === "NetworkPolicy") return "network-policy";
  if (kind === "RoleBinding") return "access";
  return kind === "Secret" || kind === "PodDisruptionBudget" ? "redis" : "quota";
}
