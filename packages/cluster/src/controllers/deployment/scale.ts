// Computes the next size of each ReplicaSet of a Deployment.

import { bySize, countIn, desiredAnnotation, maxAnnotation, type SetsOf, byAge } from "./replica-sets.ts";
import {
  desired,
  isRolling,
  maxSurge,
  maxUnavailable,
  scaled,
  sizeOf,
  type StoredDeployment,
  type StoredSet,
  totalSize,
} from "./strategy.ts";

/** A ReplicaSet and its next size. */
export interface Resize {
  readonly set: StoredSet;
  readonly size: number;
}

/**
 * Reports whether `spec.replicas` changed since an active ReplicaSet was last scaled (`isScalingEvent`). A scaling is
 * applied before the rollout goes on.
 */
export function isScaling(deployment: StoredDeployment, { current, old }: SetsOf): boolean {
  return active(current, old).some((set) => {
    const before = countIn(set, desiredAnnotation);
    return before !== undefined && before !== desired(deployment);
  });
}

/**
 * Returns the next size of the current ReplicaSet, given the total size of all (`NewRSNewReplicas`). For a ReplicaSet
 * that does not exist yet, `size` is 0.
 */
export function currentSize(deployment: StoredDeployment, { size, total }: { size: number; total: number }): number {
  const replicas = desired(deployment);
  if (!isRolling(deployment)) return replicas;
  const surge = scaled(deployment.spec?.strategy?.rollingUpdate?.maxSurge, replicas, { up: true });
  return total >= replicas + surge ? size : size + Math.min(replicas + surge - total, replicas - size);
}

/**
 * Returns how to scale down old ReplicaSets, in order (`reconcileOldReplicaSets`): first the unavailable pods, whose
 * loss reduces no availability, then as many available ones as the current ReplicaSet has replaced. A ReplicaSet may
 * appear twice.
 */
export function shrinkOld(
  deployment: StoredDeployment,
  current: StoredSet,
  old: readonly StoredSet[],
): readonly Resize[] {
  const activeOld = byAge(old.filter((set) => sizeOf(set) > 0));
  const minAvailable = desired(deployment) - maxUnavailable(deployment);
  // New pods that are not available yet count as unavailable for the whole rollout. Otherwise a broken template would be rolled out
  // completely: each of its pods would be counted as a replacement and let one more old pod go.
  const unavailable = sizeOf(current) - availableOf(current);
  const spare = totalSize([...old, current]) - minAvailable - unavailable;
  if (spare <= 0) return [];
  const sizes = new Map(activeOld.map((set) => [set, sizeOf(set)]));
  const steps: Resize[] = [];
  const shrink = (limit: number, removable: (set: StoredSet, size: number) => number): void => {
    let left = limit;
    for (const [set, size] of sizes) {
      const removed = Math.min(left, removable(set, size));
      if (removed <= 0) continue;
      sizes.set(set, size - removed);
      steps.push({ set, size: size - removed });
      left -= removed;
    }
  };
  shrink(spare, (set, size) => size - availableOf(set));
  const available = [...activeOld, current].reduce((sum, set) => sum + availableOf(set), 0);
  shrink(available - minAvailable, (_, size) => size);
  return steps;
}

/**
 * Returns the sizes of all ReplicaSets after a change of `spec.replicas` (`scale` in sync.go). With several active
 * ReplicaSets the change is distributed, so that a rollout in progress keeps its proportion of old and new pods.
 */
export function scaleAll(deployment: StoredDeployment, { current, old }: SetsOf): readonly Resize[] {
  const replicas = desired(deployment);
  const running = active(current, old);
  if (running.length <= 1) {
    const only = running[0] ?? current ?? byAge(old).at(-1);
    return only === undefined || sizeOf(only) === replicas ? [] : [{ set: only, size: replicas }];
  }
  // The new ReplicaSet already has all desired pods, so old ReplicaSets that still have pods get 0 instead of a share.
  if (current !== undefined && isSaturated(deployment, current)) {
    return running.filter((set) => set !== current).map((set) => ({ set, size: 0 }));
  }
  return isRolling(deployment) ? proportions(deployment, running) : [];
}

/**
 * Distributes the added or removed pods in proportion to size. The remainder of rounding goes to the largest
 * ReplicaSet.
 */
function proportions(deployment: StoredDeployment, running: readonly StoredSet[]): readonly Resize[] {
  const replicas = desired(deployment);
  const change = (replicas > 0 ? replicas + maxSurge(deployment) : 0) - totalSize(running);
  if (change === 0) return running.map((set) => ({ set, size: sizeOf(set) }));
  let added = 0;
  const sizes = bySize(running, { newest: change > 0 }).map((set) => {
    const left = change - added;
    const share = left === 0 ? 0 : fraction(deployment, set);
    const given = change > 0 ? Math.min(share, left) : Math.max(share, left);
    added += given;
    return { set, size: sizeOf(set) + given };
  });
  return sizes.map(({ set, size }, index) => ({ set, size: index === 0 ? Math.max(0, size + change - added) : size }));
}

/**
 * Returns the change of one ReplicaSet in proportion to its share of the former maximum.
 *
 * The former maximum (replicas plus surge) is read from an annotation that was written at the last resize. The current `maxSurge` cannot
 * be used for it: the user may have changed replicas and surge in the same update.
 */
function fraction(deployment: StoredDeployment, set: StoredSet): number {
  const size = sizeOf(set);
  const replicas = desired(deployment);
  if (replicas === 0) return -size;
  const before = countIn(set, maxAnnotation) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((size * (replicas + maxSurge(deployment))) / before) - size;
}

/** Reports whether the current ReplicaSet alone has all desired pods, scaled and available. */
function isSaturated(deployment: StoredDeployment, current: StoredSet): boolean {
  const replicas = desired(deployment);
  return (
    sizeOf(current) === replicas &&
    countIn(current, desiredAnnotation) === replicas &&
    availableOf(current) === replicas
  );
}

function active(current: StoredSet | undefined, old: readonly StoredSet[]): readonly StoredSet[] {
  return [...old, ...(current === undefined ? [] : [current])].filter((set) => sizeOf(set) > 0);
}

function availableOf({ status }: StoredSet): number {
  return status?.availableReplicas ?? 0;
}
