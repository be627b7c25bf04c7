import type { DeepReadonly, Stored } from "@homeostat/core";
import type { Deployment, ReplicaSet } from "@homeostat/kubernetes/apps/v1";

/** A Deployment as it is read from a cache. */
export type StoredDeployment = Stored<Deployment>;
/** A ReplicaSet as it is read from a cache. */
export type StoredSet = Stored<ReplicaSet>;

/** "No limit", as it is written in a field that must have a number. */
const unlimited = 2 ** 31 - 1;

/** How many pods a Deployment is to have. */
export function desired({ spec }: StoredDeployment): number {
  return spec?.replicas ?? 1;
}

/** How many pods a ReplicaSet was told to have. */
export function sizeOf({ spec }: DeepReadonly<Pick<ReplicaSet, "spec">>): number {
  return spec?.replicas ?? 1;
}

/** How many pods ReplicaSets were told to have, together. */
export function totalSize(sets: readonly DeepReadonly<Pick<ReplicaSet, "spec">>[]): number {
  return sets.reduce((sum, set) => sum + sizeOf(set), 0);
}

/** Whether pods are replaced one after the other. */
export function isRolling({ spec }: StoredDeployment): boolean {
  return (spec?.strategy?.type ?? "RollingUpdate") === "RollingUpdate";
}

/** How many pods there may be above what is asked for. */
export function maxSurge(deployment: StoredDeployment): number {
  return isRolling(deployment) ? bounds(deployment).surge : 0;
}

/** How many pods there may be too few. */
export function maxUnavailable(deployment: StoredDeployment): number {
  if (!isRolling(deployment) || desired(deployment) === 0) return 0;
  return Math.min(bounds(deployment).unavailable, desired(deployment));
}

/** Whether it is watched how long a rollout takes. */
export function hasDeadline({ spec }: StoredDeployment): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== unlimited;
}

/** How many old ReplicaSets are kept; undefined for all. */
export function historyLimit({ spec }: StoredDeployment): number | undefined {
  return spec?.revisionHistoryLimit === unlimited ? undefined : spec?.revisionHistoryLimit;
}

/** A share of a number, or the number itself. A share is rounded up for more pods, down for fewer. */
export function scaled(value: number | string | undefined, total: number, { up }: { readonly up: boolean }): number {
  if (typeof value === "number") return value;
  const percent = /^(-?\d+)%$/.exec(value ?? "");
  if (percent === null) return 0;
  const share = (Number(percent[1]) * total) / 100;
  return up ? Math.ceil(share) : Math.floor(share);
}

/** If both were zero nothing could ever happen. */
function bounds({ spec }: StoredDeployment): { readonly surge: number; readonly unavailable: number } {
  const { rollingUpdate } = spec?.strategy ?? {};
  const total = spec?.replicas ?? 1;
  const surge = scaled(rollingUpdate?.maxSurge, total, { up: true });
  const unavailable = scaled(rollingUpdate?.maxUnavailable, total, { up: false });
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}
