import type { DeepReadonly, Stored } from "@homeostat/core";
import type { Deployment, ReplicaSet } from "@homeostat/kubernetes/apps/v1";

export type StoredDeployment = Stored<Deployment>;
export type StoredSet = Stored<ReplicaSet>;

/** MaxInt32, which means "no limit" in `progressDeadlineSeconds` and `revisionHistoryLimit`. */
const unlimited = 2 ** 31 - 1;

/** Returns the desired number of pods of a Deployment. */
export function desired({ spec }: StoredDeployment): number {
  return spec?.replicas ?? 1;
}

/** Returns the desired number of pods of a ReplicaSet. */
export function sizeOf({ spec }: DeepReadonly<Pick<ReplicaSet, "spec">>): number {
  return spec?.replicas ?? 1;
}

/** Returns the sum of the desired pods of ReplicaSets. */
export function totalSize(sets: readonly DeepReadonly<Pick<ReplicaSet, "spec">>[]): number {
  return sets.reduce((sum, set) => sum + sizeOf(set), 0);
}

/** Reports whether the strategy is RollingUpdate. */
export function isRolling({ spec }: StoredDeployment): boolean {
  return (spec?.strategy?.type ?? "RollingUpdate") === "RollingUpdate";
}

/** Returns the number of pods allowed above the desired number. */
export function maxSurge(deployment: StoredDeployment): number {
  return isRolling(deployment) ? bounds(deployment).surge : 0;
}

/** Returns the number of pods that may be unavailable during a rollout. */
export function maxUnavailable(deployment: StoredDeployment): number {
  if (!isRolling(deployment) || desired(deployment) === 0) return 0;
  return Math.min(bounds(deployment).unavailable, desired(deployment));
}

/** Reports whether the rollout has a progress deadline. */
export function hasDeadline({ spec }: StoredDeployment): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== unlimited;
}

/** Returns the number of old ReplicaSets to keep; undefined to keep all. */
export function historyLimit({ spec }: StoredDeployment): number | undefined {
  return spec?.revisionHistoryLimit === unlimited ? undefined : spec?.revisionHistoryLimit;
}

/** Resolves an IntOrString: an integer, or a percentage of `total` that is rounded up with `up` and down otherwise. */
export function scaled(value: number | string | undefined, total: number, { up }: { readonly up: boolean }): number {
  if (typeof value === "number") return value;
  const percent = /^(-?\d+)%$/.exec(value ?? "");
  if (percent === null) return 0;
  const share = (Number(percent[1]) * total) / 100;
  return up ? Math.ceil(share) : Math.floor(share);
}

/**
 * Returns surge and unavailability as numbers. If both are zero, unavailability becomes 1, because a rollout could
 * never make a step otherwise (`ResolveFenceposts`).
 */
function bounds({ spec }: StoredDeployment): { readonly surge: number; readonly unavailable: number } {
  const { rollingUpdate } = spec?.strategy ?? {};
  const total = spec?.replicas ?? 1;
  const surge = scaled(rollingUpdate?.maxSurge, total, { up: true });
  const unavailable = scaled(rollingUpdate?.maxUnavailable, total, { up: false });
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}
