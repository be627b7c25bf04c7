import type { DeepReadonly } from "@homeostat/core";
import type { StatefulSetStatus } from "@homeostat/kubernetes/apps/v1";
import { isAvailable, isReady, type SomePod } from "../pods/pod-state.ts";
import { replicasOf, revisionOf, type StoredStateful } from "./ordinals.ts";
import type { Revisions } from "./stateful-pod.ts";

/** A status while it is worked on. */
export type DraftStatus = DeepReadonly<StatefulSetStatus>;

/** What a status is made from. */
export interface StatusInput extends Revisions {
  readonly pods: readonly SomePod[];
  readonly collisionCount: number;
  readonly now: number;
}

/** The status of a StatefulSet. A pod that is not made yet has no phase, and does not count. */
export function statefulStatus(
  set: StoredStateful,
  { pods, current, update, collisionCount, now }: StatusInput,
): DraftStatus {
  const { minReadySeconds = 0 } = set.spec ?? {};
  const made = pods.filter(isMade);
  const staying = made.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const ready = pods.filter(isRunningAndReady);
  const of = (name: string | undefined): number => staying.filter((pod) => revisionOf(pod) === name).length;
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: made.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    currentReplicas: of(current.metadata.name),
    updatedReplicas: of(update.metadata.name),
    currentRevision: current.metadata.name ?? "",
    updateRevision: update.metadata.name ?? "",
    collisionCount,
  };
}

/** The status in the end: an update is over when all pods are of the new revision and ready. */
export function finalStatus(set: StoredStateful, status: DraftStatus): DraftStatus {
  const wanted = replicasOf(set);
  const { updatedReplicas = 0, updateRevision } = status;
  const isOver =
    (set.spec?.updateStrategy?.type ?? "RollingUpdate") === "RollingUpdate" &&
    updatedReplicas === wanted &&
    status.readyReplicas === wanted &&
    status.replicas === wanted;
  if (!isOver) return status;
  return {
    ...status,
    currentReplicas: updatedReplicas,
    ...(updateRevision === undefined ? {} : { currentRevision: updateRevision }),
  };
}

/** Whether a status tells anything new. */
export function isNews(before: DraftStatus | undefined, after: DraftStatus): boolean {
  const isNewer = (after.observedGeneration ?? 0) > (before?.observedGeneration ?? 0);
  const counts = ["replicas", "currentReplicas", "readyReplicas", "updatedReplicas", "availableReplicas"] as const;
  return (
    isNewer ||
    counts.some((name) => (before?.[name] ?? 0) !== (after[name] ?? 0)) ||
    before?.currentRevision !== after.currentRevision ||
    before?.updateRevision !== after.updateRevision
  );
}

/** Whether a pod is there at all, and not only meant to be. */
export function isMade({ status }: SomePod): boolean {
  return status?.phase !== undefined;
}

/** Whether a pod runs and is ready. */
export function isRunningAndReady(pod: SomePod): boolean {
  return pod.status?.phase === "Running" && isReady(pod);
}

/** Whether a pod cannot be counted on: not available, or on its way out. */
export function isUnavailable(pod: SomePod, minReadySeconds: number, now: number): boolean {
  return !isAvailable(pod, minReadySeconds, now) || pod.metadata.deletionTimestamp !== undefined;
}
