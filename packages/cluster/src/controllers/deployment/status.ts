import { type DeepReadonly, parseTime } from "@homeostat/core";
import type { DeploymentStatus } from "@homeostat/kubernetes/apps/v1";
import {
  type ConditionText,
  conditionAt,
  type Conditions,
  findIn,
  withCondition,
  withoutCondition,
} from "./conditions.ts";
import { desired, hasDeadline, maxUnavailable, type StoredDeployment, type StoredSet, totalSize } from "./strategy.ts";

/** A status before it is written. */
export type DraftStatus = DeepReadonly<DeploymentStatus>;

/** Input of the status of a Deployment. */
export interface StatusInput {
  readonly deployment: StoredDeployment;
  readonly current: StoredSet | undefined;
  readonly old: readonly StoredSet[];
  readonly now: number;
}

/** Returns the status with counts and the Available condition. */
export function countedStatus({ deployment, current, old, now }: StatusInput): DraftStatus {
  const sets = [...old, ...(current === undefined ? [] : [current])];
  const sum = (count: (set: StoredSet) => number | undefined): number =>
    sets.reduce((total, set) => total + (count(set) ?? 0), 0);
  const availableReplicas = sum(({ status }) => status?.availableReplicas);
  const terminating = terminatingIn(sets);
  const { collisionCount, conditions = [] } = deployment.status ?? {};
  const isEnough = availableReplicas >= desired(deployment) - maxUnavailable(deployment);
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...nonZero({
      replicas: sum(({ status }) => status?.replicas),
      updatedReplicas: current?.status?.replicas ?? 0,
      readyReplicas: sum(({ status }) => status?.readyReplicas),
      availableReplicas,
      unavailableReplicas: Math.max(0, totalSize(sets) - availableReplicas),
    }),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: withCondition(conditions, conditionAt(isEnough ? enough : tooFew, now)),
  };
}

const enough: ConditionText = {
  type: "Available",
  status: "True",
  reason: "MinimumReplicasAvailable",
  message: "Deployment has minimum availability.",
};
const tooFew: ConditionText = {
  type: "Available",
  status: "False",
  reason: "MinimumReplicasUnavailable",
  message: "Deployment does not have minimum availability.",
};

/**
 * Returns the status during a rollout: counts, and the conditions Available, Progressing and ReplicaFailure
 * (progress.go).
 *
 * The progress deadline is only reported. An exceeded deadline neither stops nor reverts the rollout: pods may become available later, for example
 * when a missing Secret is created, and `kubectl rollout status` and CD tools decide what to do. Once a rollout is complete, the condition is kept,
 * because a later loss of pods, such as a node failure, is not a failed rollout.
 */
export function rolloutStatus(input: StatusInput): DraftStatus {
  const { deployment, current, old } = input;
  const status = countedStatus(input);
  let conditions: Conditions = status.conditions ?? [];
  if (!hasDeadline(deployment)) conditions = withoutCondition(conditions, "Progressing");
  else {
    const before = findIn(deployment.status?.conditions, "Progressing");
    const isRolledOut =
      (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && before?.reason === "NewReplicaSetAvailable";
    if (!isRolledOut) conditions = withProgress(conditions, { ...input, status });
  }
  const failure = [...(current === undefined ? [] : [current]), ...old]
    .flatMap((set) => set.status?.conditions ?? [])
    .find(({ type }) => type === "ReplicaFailure");
  if (failure === undefined) conditions = withoutCondition(conditions, "ReplicaFailure");
  else {
    const { lastTransitionTime } = failure;
    const times = lastTransitionTime === undefined ? {} : { lastTransitionTime, lastUpdateTime: lastTransitionTime };
    conditions = withCondition(conditions, { ...failure, ...times });
  }
  return { ...status, conditions };
}

/** Reports whether a Deployment has exactly the desired pods, all from the current template and available. */
export function isComplete(deployment: StoredDeployment, status: DraftStatus | undefined): boolean {
  const replicas = desired(deployment);
  return (
    (status?.updatedReplicas ?? 0) === replicas &&
    (status?.replicas ?? 0) === replicas &&
    (status?.availableReplicas ?? 0) === replicas &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** Returns the time until the progress deadline must be checked; undefined when it does not have to be. */
export function msToTimeout(deployment: StoredDeployment, status: DraftStatus, now: number): number | undefined {
  const progress = findIn(status.conditions, "Progressing");
  if (!hasDeadline(deployment) || progress === undefined || isComplete(deployment, status)) return undefined;
  if (progress.reason === "ProgressDeadlineExceeded") return undefined;
  // One second more, because condition times have whole seconds.
  return Math.max(0, timeoutAt(deployment, progress.lastUpdateTime) - now) + 1000;
}

interface Progress extends StatusInput {
  readonly status: DraftStatus;
}

function withProgress(conditions: Conditions, { deployment, current, status, now }: Progress): Conditions {
  const { name } = deployment.metadata;
  const subject = current === undefined ? `Deployment "${name}"` : `ReplicaSet "${current.metadata.name}"`;
  const text = (rest: Omit<ConditionText, "type" | "message">, what: string): ReturnType<typeof conditionAt> =>
    conditionAt({ type: "Progressing", ...rest, message: `${subject} ${what}` }, now);
  if (isComplete(deployment, status)) {
    const done = text({ status: "True", reason: "NewReplicaSetAvailable" }, "has successfully progressed.");
    return withCondition(conditions, done);
  }
  const before = findIn(deployment.status?.conditions, "Progressing");
  if (hasProgressed(deployment.status, status)) {
    // The deadline counts from `lastUpdateTime`, so it is renewed on progress even if nothing else changes.
    const going = text({ status: "True", reason: "ReplicaSetUpdated" }, "is progressing.");
    const since = before?.status === "True" ? before.lastTransitionTime : going.lastTransitionTime;
    const after = { ...going, ...(since === undefined ? {} : { lastTransitionTime: since }) };
    return withCondition(withoutCondition(conditions, "Progressing"), after);
  }
  const known = findIn(conditions, "Progressing");
  if (known === undefined || known.reason === "NewReplicaSetAvailable") return conditions;
  const isLate = known.reason === "ProgressDeadlineExceeded" || timeoutAt(deployment, known.lastUpdateTime) < now;
  if (!isLate) return conditions;
  const late = text({ status: "False", reason: "ProgressDeadlineExceeded" }, "has timed out progressing.");
  return withCondition(conditions, late);
}

/** Reports progress: more new pods, fewer old ones, more ready ones, or more available ones. */
function hasProgressed(before: DraftStatus = {}, after: DraftStatus): boolean {
  const oldPods = ({ replicas = 0, updatedReplicas = 0 }: DraftStatus): number => replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    oldPods(after) < oldPods(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function timeoutAt({ spec }: StoredDeployment, lastUpdateTime: string | undefined): number {
  const since = lastUpdateTime === undefined ? 0 : parseTime(lastUpdateTime);
  return since + (spec?.progressDeadlineSeconds ?? 0) * 1000;
}

/**
 * Returns the number of terminating pods; undefined when an observed ReplicaSet does not report it. A new ReplicaSet
 * has not reported anything yet and counts as zero.
 */
function terminatingIn(sets: readonly StoredSet[]): number | undefined {
  let total = 0;
  for (const { status } of sets) {
    const { terminatingReplicas, observedGeneration = 0 } = status ?? {};
    if (terminatingReplicas === undefined && observedGeneration > 0) return undefined;
    total += terminatingReplicas ?? 0;
  }
  return total;
}

/**
 * Removes zero counts, which the API server omits (`omitempty`). Without this each reconcile would see a difference
 * and write the status again.
 */
function nonZero<T extends Readonly<Record<string, number>>>(counts: T): Partial<T> {
  const kept: Partial<T> = { ...counts };
  for (const name in counts) if (counts[name] === 0) delete kept[name];
  return kept;
}
