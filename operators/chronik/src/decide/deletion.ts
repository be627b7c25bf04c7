// Deletion of a cluster. Members stop from the outside in, so that no member loses the ones it depends on:
//
//   autoscalers -> search nodes -> ingest nodes -> controllers -> claims -> finalizer
//
// Each reconcile performs the next possible step. Every step is derived from the objects that still exist, so a restarted operator continues.

import type { StatefulComponent } from "../api/identity.ts";
import type { ObservedClaim, ObservedTier } from "../observe/observed.ts";

/** Input of {@link decideDeletion}. */
export interface DeletionInput {
  /** True if the spec or an annotation protects the cluster. */
  readonly isProtected: boolean;
  readonly isNamespaceTerminating: boolean;
  /** True if the user has annotated the cluster to delete it without an orderly stop. */
  readonly isForced: boolean;
  readonly deletedAt: number;
  readonly timeoutSeconds: number;
  /** True if HorizontalPodAutoscalers or ChronikNodeGroups exist. */
  readonly hasAutoscalers: boolean;
  readonly search: { readonly desiredReplicas: number; readonly pods: number };
  readonly tiers: Readonly<Record<StatefulComponent, Pick<ObservedTier, "set" | "members">>>;
  readonly claims: readonly ObservedClaim[];
  readonly whenDeleted: "Retain" | "Delete";
  readonly now: number;
}

export type DeletionStep =
  /** The cluster keeps running until the protection is removed. */
  | { readonly type: "blocked" }
  | { readonly type: "deleteAutoscalers" }
  | { readonly type: "stopSearch" }
  | { readonly type: "stopMembers"; readonly component: StatefulComponent }
  | { readonly type: "wait"; readonly reason: string }
  | { readonly type: "deleteClaims"; readonly claims: readonly ClaimIdentity[]; readonly isLate: boolean }
  | { readonly type: "retainClaims"; readonly claims: readonly ClaimIdentity[]; readonly isLate: boolean }
  /** Remove the finalizer. `isLate`: the orderly stop exceeded its time limit. */
  | { readonly type: "finish"; readonly isLate: boolean };

export interface ClaimIdentity {
  readonly name: string;
  readonly uid: string;
}

/** Interval between two steps. */
export const deletionRetryMs = 5_000;

/** Decides the next step of a deletion. */
export function decideDeletion(input: DeletionInput): DeletionStep {
  const { isProtected, isNamespaceTerminating, isForced, deletedAt, timeoutSeconds, now } = input;
  // A terminating namespace deletes the members whatever the cluster says; blocking would only keep the namespace.
  if (isProtected && !isNamespaceTerminating) return { type: "blocked" };
  const isLate = now - deletedAt > timeoutSeconds * 1_000;
  const stop = isNamespaceTerminating || isForced || isLate ? undefined : nextStop(input);
  return stop ?? claimStep(input, isLate && !isForced && !isNamespaceTerminating && nextStop(input) !== undefined);
}

function nextStop({ hasAutoscalers, search, tiers }: DeletionInput): DeletionStep | undefined {
  if (hasAutoscalers) return { type: "deleteAutoscalers" };
  if (search.desiredReplicas > 0) return { type: "stopSearch" };
  if (search.pods > 0) return { type: "wait", reason: `${search.pods} search nodes are stopping` };
  for (const component of ["ingest", "controller"] as const) {
    const { set, members } = tiers[component];
    if (set !== undefined && set.replicas > 0) return { type: "stopMembers", component };
    if (members.length > 0) return { type: "wait", reason: `${members.length} pods of ${component} are stopping` };
  }
  return undefined;
}

function claimStep({ claims, whenDeleted, isNamespaceTerminating }: DeletionInput, isLate: boolean): DeletionStep {
  // The namespace controller deletes the claims.
  if (isNamespaceTerminating) return { type: "finish", isLate };
  const identify = ({ name, uid }: ObservedClaim): ClaimIdentity => ({ name, uid });
  if (whenDeleted === "Retain") {
    const unmarked = claims.filter(({ isRetained, isTerminating }) => !isRetained && !isTerminating);
    return unmarked.length === 0
      ? { type: "finish", isLate }
      : { type: "retainClaims", claims: unmarked.map(identify), isLate };
  }
  const left = claims.filter(({ isTerminating }) => !isTerminating);
  return left.length === 0 ? { type: "finish", isLate } : { type: "deleteClaims", claims: left.map(identify), isLate };
}

/** Returns the claims of members that a scale-down removed and that no pod mounts: deleted or marked as retired, by policy. */
export function claimsAfterScaleDown(
  claims: readonly ObservedClaim[],
  replicas: Readonly<Record<StatefulComponent, number>>,
  whenScaled: "Retain" | "Delete",
): { readonly toDelete: readonly ClaimIdentity[]; readonly toRetire: readonly ClaimIdentity[] } {
  const surplus = claims
    .filter(({ component, ordinal, isMounted, isTerminating }) => {
      return ordinal >= replicas[component] && !isMounted && !isTerminating;
    })
    .map(({ name, uid, isRetired }) => ({ name, uid, isRetired }));
  if (whenScaled === "Delete") return { toDelete: surplus.map(({ name, uid }) => ({ name, uid })), toRetire: [] };
  const toRetire = surplus.filter(({ isRetired }) => !isRetired).map(({ name, uid }) => ({ name, uid }));
  return { toDelete: [], toRetire };
}
