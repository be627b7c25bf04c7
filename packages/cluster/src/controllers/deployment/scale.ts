// How many pods each ReplicaSet of a Deployment is to have next.

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

/** A ReplicaSet and the size it is to have. */
export interface Resize {
  readonly set: StoredSet;
  readonly size: number;
}

/** Whether somebody has asked for another number of pods since a ReplicaSet was last told its size. */
export function isScaling(deployment: StoredDeployment, { current, old }: SetsOf): boolean {
  return active(current, old).some((set) => {
    const before = countIn(set, desiredAnnotation);
    return before !== undefined && before !== desired(deployment);
  });
}

/** How many pods the current ReplicaSet may have, given what all have. For one yet to be made, `size` is 0. */
export function currentSize(deployment: StoredDeployment, { size, total }: { size: number; total: number }): number {
  const wanted = desired(deployment);
  if (!isRolling(deployment)) return wanted;
  const surge = scaled(deployment.spec?.strategy?.rollingUpdate?.maxSurge, wanted, { up: true });
  return total >= wanted + surge ? size : size + Math.min(wanted + surge - total, wanted - size);
}

/**
 * The old ReplicaSets that can have fewer pods now, step by step: first by the pods that are not available, as nobody misses
 * them, then by as many as the current one has made up for. A set may be named twice.
 */
export function shrinkOld(
  deployment: StoredDeployment,
  current: StoredSet,
  old: readonly StoredSet[],
): readonly Resize[] {
  const activeOld = byAge(old.filter((set) => sizeOf(set) > 0));
  const minAvailable = desired(deployment) - maxUnavailable(deployment);
  const unavailable = sizeOf(current) - availableOf(current);
  const spare = totalSize([...old, current]) - minAvailable - unavailable;
  if (spare <= 0) return [];
  const sizes = new Map(activeOld.map((set) => [set, sizeOf(set)]));
  const steps: Resize[] = [];
  const shrink = (limit: number, mayGo: (set: StoredSet, size: number) => number): void => {
    let left = limit;
    for (const [set, size] of sizes) {
      const gone = Math.min(left, mayGo(set, size));
      if (gone <= 0) continue;
      sizes.set(set, size - gone);
      steps.push({ set, size: size - gone });
      left -= gone;
    }
  };
  shrink(spare, (set, size) => size - availableOf(set));
  const available = [...activeOld, current].reduce((sum, set) => sum + availableOf(set), 0);
  shrink(available - minAvailable, (_, size) => size);
  return steps;
}

/** The sizes of all ReplicaSets after a change of the Deployment's, such that a rollout goes on where it was. */
export function scaleAll(deployment: StoredDeployment, { current, old }: SetsOf): readonly Resize[] {
  const wanted = desired(deployment);
  const running = active(current, old);
  if (running.length <= 1) {
    const only = running[0] ?? current ?? byAge(old).at(-1);
    return only === undefined || sizeOf(only) === wanted ? [] : [{ set: only, size: wanted }];
  }
  if (current !== undefined && isSaturated(deployment, current)) {
    return running.filter((set) => set !== current).map((set) => ({ set, size: 0 }));
  }
  return isRolling(deployment) ? proportions(deployment, running) : [];
}

/** What is added or taken away, shared out by size. What rounding leaves goes to the largest. */
function proportions(deployment: StoredDeployment, running: readonly StoredSet[]): readonly Resize[] {
  const wanted = desired(deployment);
  const change = (wanted > 0 ? wanted + maxSurge(deployment) : 0) - totalSize(running);
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

/** By how much a ReplicaSet would change if nothing had to be rounded. */
function fraction(deployment: StoredDeployment, set: StoredSet): number {
  const size = sizeOf(set);
  const wanted = desired(deployment);
  if (wanted === 0) return -size;
  const before = countIn(set, maxAnnotation) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((size * (wanted + maxSurge(deployment))) / before) - size;
}

/** Whether the current ReplicaSet alone has all that is asked for. */
function isSaturated(deployment: StoredDeployment, current: StoredSet): boolean {
  const wanted = desired(deployment);
  return (
    sizeOf(current) === wanted && countIn(current, desiredAnnotation) === wanted && availableOf(current) === wanted
  );
}

function active(current: StoredSet | undefined, old: readonly StoredSet[]): readonly StoredSet[] {
  return [...old, ...(current === undefined ? [] : [current])].filter((set) => sizeOf(set) > 0);
}

function availableOf({ status }: StoredSet): number {
  return status?.availableReplicas ?? 0;
}
