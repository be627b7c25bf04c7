// Facts about the members of a StatefulSet that several decisions share.

import type { StatefulComponent } from "../api/identity.ts";
import type { RestartReason } from "../api/status.ts";
import type { ObservedClaim, ObservedMember, ObservedStatefulSet, ObservedTier } from "../observe/observed.ts";

/** Time after which a pod restarts to complete the growth of its file system. Online growth completes within seconds. */
export const fileSystemResizePatienceMs = 120_000;

/** Time after which a pod that cannot start counts as stuck. */
export const stuckAfterMs = 60_000;

/** Time for which a running pod may be not ready before it counts as broken. Elections and busy nodes take longer than a few probes. */
export const unreadyPatienceMs = 30_000;

/** Time and readiness rule for facts about members. */
export interface Readiness {
  readonly minReadySeconds: number;
  readonly now: number;
}

/** Reports whether a pod has been ready for `minReadySeconds`. A terminating pod is not available. */
export function isAvailable(member: ObservedMember, { minReadySeconds, now }: Readiness): boolean {
  const { readySince, isTerminating } = member;
  return !isTerminating && readySince !== undefined && now - readySince >= minReadySeconds * 1_000;
}

/** Reports whether a pod has been unable to start for a minute. */
export function isStuck({ stuck }: Pick<ObservedMember, "stuck">, now: number): boolean {
  return stuck !== undefined && now - stuck.since > stuckAfterMs;
}

/**
 * Reports whether a pod is broken, so that its replacement disrupts nothing.
 *
 * Being not ready is not enough. All controllers lose their readiness while they elect a leader, and a busy node delays the probes of several
 * members at once. Such members work, and replacing them would be a second disruption.
 */
export function isBroken({ readySince, unreadySince, isStarted }: ObservedMember, now: number): boolean {
  if (readySince !== undefined) return false;
  return !isStarted || now - (unreadySince ?? now) >= unreadyPatienceMs;
}

/** Reports whether the status of a StatefulSet reflects its spec, so that its update revision can be trusted. */
export function isObserved(set: ObservedStatefulSet | undefined): set is ObservedStatefulSet {
  return set !== undefined && !set.isTerminating && set.observedGeneration >= set.generation;
}

/** Input of {@link restartReasonsOf}. */
export interface OutdatedInput {
  readonly component: StatefulComponent;
  readonly set: ObservedStatefulSet;
  readonly claims: readonly ObservedClaim[];
  readonly now: number;
}

/** Returns the reasons to restart a pod; empty if it is up to date. */
export function restartReasonsOf(member: ObservedMember, input: OutdatedInput): readonly RestartReason[] {
  const { component, set, claims, now } = input;
  const found: RestartReason[] = [];
  if (member.revision !== set.updateRevision) {
    if (member.configHash !== set.configHash) found.push("ConfigChanged");
    if (member.secretHash !== set.secretHash) found.push("SecretChanged");
    if (found.length === 0) found.push("TemplateChanged");
  }
  if (member.isRestartRequested) found.push("ManualRestart");
  const claim = claims.find((one) => one.component === component && one.ordinal === member.ordinal);
  const since = claim?.fileSystemResizeSince;
  // A pod that was created after the request to grow mounts the volume with the new size. Without this rule, a pod that is slow to start
  // would be deleted again and again.
  if (since !== undefined && now - since > fileSystemResizePatienceMs && member.createdAt < since)
    found.push("FileSystemResize");
  if (found.length > 0 && isStuck(member, now)) found.push("StuckOutdated");
  return found;
}

/** Returns the members that must restart. Empty while the StatefulSet is not observed. */
export function outdatedMembers(
  component: StatefulComponent,
  { set, members }: ObservedTier,
  rest: Pick<OutdatedInput, "claims" | "now">,
): readonly ObservedMember[] {
  if (set === undefined) return [];
  return members.filter((member) => restartReasonsOf(member, { component, set, ...rest }).length > 0);
}

/** Returns the ordinals below the replica count that have no pod. */
export function missingOrdinals({ set, members }: ObservedTier): readonly number[] {
  const present = new Set(members.map(({ ordinal }) => ordinal));
  return Array.from({ length: set?.replicas ?? 0 }, (_none, ordinal) => ordinal).filter((one) => !present.has(one));
}

/** Returns the number of replicas of a StatefulSet; while it is recreated, that of the members which exist. */
export function replicasOf({ set, members }: ObservedTier): number {
  return set?.replicas ?? Math.max(0, ...members.map(({ ordinal }) => ordinal + 1));
}
