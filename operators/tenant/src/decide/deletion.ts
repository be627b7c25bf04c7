// Decisions about a tenant that is being deleted.

import type { DeepReadonly } from "homeostat";
import type { Namespace } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { ownership } from "../api/ownership.ts";
import type { Tenant } from "../api/tenant.ts";

interface RetainInput {
  readonly tenant: DeepReadonly<Tenant>;
  /** True if the CRD of tenants is being deleted. */
  readonly isCrdDeleted: boolean;
}

/** A rule that returns why the namespace must be kept; undefined if it does not apply. */
type RetainRule = (input: RetainInput) => string | undefined;

const deletionPolicyIsRetain: RetainRule = ({ tenant }) =>
  tenant.spec.deletionPolicy === "Retain" ? "the deletion policy of the Tenant is Retain" : undefined;

// `kubectl delete --cascade=orphan` sets this finalizer.
const deletedWithOrphanPropagation: RetainRule = ({ tenant }) =>
  (tenant.metadata.finalizers ?? []).includes("orphan") ? "the Tenant was deleted with orphan propagation" : undefined;

// The webhook denies such deletions. If one bypassed it, the data must not be lost.
const isProtected: RetainRule = ({ tenant }) =>
  tenant.spec.deletionProtection === true ? "the Tenant is protected from deletion" : undefined;

// Uninstalling the operator must not delete customers' data.
const crdIsBeingDeleted: RetainRule = ({ isCrdDeleted }) =>
  isCrdDeleted ? "the CustomResourceDefinition of Tenant is being deleted" : undefined;

/** The rules that keep the namespace of a deleted tenant, in order. The first one that applies is reported. */
export const retainRules: readonly RetainRule[] = [
  deletionPolicyIsRetain,
  deletedWithOrphanPropagation,
  isProtected,
  crdIsBeingDeleted,
];

/** Returns why the namespace is kept; undefined if it is deleted with the tenant. */
export function reasonToRetain(input: RetainInput): string | undefined {
  for (const rule of retainRules) {
    const reason = rule(input);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

export type DeletionStep =
  /** Nothing is left: remove the finalizer. */
  | { readonly action: "finish" }
  /** Remove the owner references to the tenant and keep everything. */
  | { readonly action: "release"; readonly reason: string }
  /** The namespace is not owned by the tenant: do not change it. */
  | { readonly action: "ignore" }
  /** The namespace was adopted: delete only the tenant's objects in it. */
  | { readonly action: "empty" }
  | { readonly action: "delete" }
  | { readonly action: "wait" };

/** Decides the next step. `observed` is a live read, not from the cache, because a deletion follows. */
export function deletionStep(
  observed: DeepReadonly<Namespace> | undefined,
  tenant: DeepReadonly<Tenant>,
  retainReason: string | undefined,
): DeletionStep {
  if (observed === undefined) return { action: "finish" };
  if (!ownership.owns(tenant, observed)) return { action: "ignore" };
  if (retainReason !== undefined) return { action: "release", reason: retainReason };
  if (isAdopted(observed)) return { action: "empty" };
  return { action: observed.metadata.deletionTimestamp === undefined ? "delete" : "wait" };
}

/** Reports whether a namespace existed before its tenant; such a namespace is never deleted. */
export function isAdopted({ metadata }: DeepReadonly<Namespace>): boolean {
  const notes = metadata.annotations ?? {};
  return Object.hasOwn(notes, annotations.adopted) && notes[annotations.adopted] === "true";
}

const pollMinMs = 5_000;
const pollMaxMs = 60_000;

/** Returns how long to wait before the next check of a terminating namespace: 5 s, doubling up to 60 s. */
export function pollDelayMs(elapsedMs: number): number {
  let [delayMs, endMs] = [pollMinMs, pollMinMs];
  while (endMs <= elapsedMs && delayMs < pollMaxMs) {
    delayMs = Math.min(pollMaxMs, delayMs * 2);
    endMs += delayMs;
  }
  return delayMs;
}

/** A namespace that has been terminating for this long is stuck. */
export const stuckAfterMs = 600_000;

const deletionConditions: ReadonlySet<string> = new Set([
  "NamespaceDeletionDiscoveryFailure",
  "NamespaceDeletionContentFailure",
  "NamespaceDeletionGroupVersionParsingFailure",
  "NamespaceContentRemaining",
  "NamespaceFinalizersRemaining",
]);

/** Returns what blocks the deletion of a namespace, from its conditions; empty when they report nothing. */
export function deletionBlockers({ status }: DeepReadonly<Namespace>): string {
  return (status?.conditions ?? [])
    .filter(({ type, status }) => status === "True" && deletionConditions.has(type))
    .map(({ type, message = "" }) => (message === "" ? type : message))
    .join("; ");
}
