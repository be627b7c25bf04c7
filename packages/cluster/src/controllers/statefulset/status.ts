import type { DeepReadonly } from "@homeostat/core";
import type { StatefulSetStatus } from "@homeostat/kubernetes/apps/v1";
import { isAvailable, isReady, type SomePod } from "../pods/pod-state.ts";
import { replicasOf, revisionOf, type StoredStateful } from "./ordinals.ts";
import type { Revisions } from "./stateful-pod.ts";

/** A status before it is written. */
export type DraftStatus = DeepReadonly<StatefulSetStatus>;

/** Input of the status of a StatefulSet. */
export interface StatusInput extends Revisions {
  readonly pods: readonly SomePod[];
  readonly collisionCount: number;
  readonly now: number;
}

/** Returns the status of a StatefulSet. A pod that is not created yet has no phase and does not count. */
export function statefulStatus(
  set: StoredStateful,
  { pods, current, update, collisionCount, now }: StatusInput,
): DraftStatus {
  const { minReadySeconds = 0 } = set.spec ?? {};
  const created = pods.filter(isCreated);
  const staying = created.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const ready = pods.filter(isRunningAndReady);
  const of = (name: string | undefined): number => staying.filter((pod) => revisionOf(pod) === name).length;
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: created.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    currentReplicas: of(current.metadata.name),
    updatedReplicas: of(update.metadata.name),
    currentRevision: current.metadata.name ?? "",
    updateRevision: update.metadata.name ?? "",
    collisionCount,
  };
}

/** Completes an update in the status: when all pods have the new revision and are ready, it becomes the current one. */
export function finalStatus(set: StoredStateful, status: DraftStatus): DraftStatus {
  const desired = replicasOf(set);
  const { updatedReplicas = 0, updateRevision } = status;
  const isComplete =
    (set.spec?.updateStrategy?.type ?? "RollingUpdate") === "RollingUpdate" &&
    updatedReplicas === desired &&
    status.readyReplicas === desired &&
    status.replicas === desired;
  if (!isComplete) return status;
  return {
    ...status,
    currentReplicas: updatedReplicas,
    ...(updateRevision === undefined ? {} : { currentRevision: updateRevision }),
  };
}

/** Reports whether a status differs from the stored one. */
export function hasStatusChanged(before: DraftStatus | undefined, after: DraftStatus): boolean {
  const isNewer = (after.observedGeneration ?? 0) > (before?.observedGeneration ?? 0);
  const counts = ["replicas", "currentReplicas", "readyReplicas", "updatedReplicas", "availableReplicas"] as const;
  return (
    isNewer ||
    counts.some((name) => (before?.[name] ?? 0) !== (after[name] ?? 0)) ||
    before?.currentRevision !== after.currentRevision ||
    before?.updateRevision !== after.updateRevision
  );
}

/** Reports whether a pod exists, in contrast to one that is only planned. */
export function isCreated({ status }: SomePod): boolean {
  return status?.phase !== undefined;
}

/** Reports whether a pod is running and ready. */
export function isRunningAndReady(pod: SomePod): boolean {
  return pod.status?.phase === "Running" && isReady(pod);
}

/** Reports whether a pod is not available or is being deleted. */
export function isUnavailable(pod: SomePod, minReadySeconds: number, now: number): boolean {
  return !isAvailable(pod, minReadySeconds, now) || pod.metadata.deletionTimestamp !== undefined;
}
