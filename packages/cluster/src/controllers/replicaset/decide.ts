import { type DeepReadonly, formatTime, type Stored } from "@homeostat/core";
import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from "@homeostat/kubernetes/apps/v1";
import { inDeletionOrder } from "../pods/deletion-order.ts";
import { isActive, isAvailable, isReady, type SomePod, type StoredPod } from "../pods/pod-state.ts";

/** Most pods created or deleted in one reconcile (`BurstReplicas`). */
export const burstReplicas = 500;

/** Returns the desired number of pods. */
export function replicasOf({ spec }: DeepReadonly<ReplicaSet>): number {
  return spec?.replicas ?? 1;
}

/**
 * Returns the pods to delete, those first whose loss costs least. `related` are the pods of all ReplicaSets of the
 * Deployment: pods on nodes that have many of them are deleted first, so that scaling down spreads the rest.
 */
export function podsToDelete(
  active: readonly StoredPod[],
  { count, related, now }: { readonly count: number; readonly related: readonly SomePod[]; readonly now: number },
): readonly StoredPod[] {
  if (count >= active.length) return active;
  const onNode = new Map<string, number>();
  for (const pod of related) {
    const { nodeName = "" } = pod.spec;
    if (isActive(pod)) onNode.set(nodeName, (onNode.get(nodeName) ?? 0) + 1);
  }
  const rank = (pod: SomePod): number => onNode.get(pod.spec.nodeName ?? "") ?? 0;
  return inDeletionOrder(active, { rank, now }).slice(0, count);
}

/** Input of the status of a ReplicaSet. */
export interface StatusInput {
  readonly active: readonly SomePod[];
  readonly terminating: readonly SomePod[];
  /** The failed write, with the message of the API server. */
  readonly failure?: { readonly reason: "FailedCreate" | "FailedDelete"; readonly message: string } | undefined;
  readonly now: number;
}

/** Returns the status of a ReplicaSet. */
export function replicaSetStatus(set: Stored<ReplicaSet>, input: StatusInput): DeepReadonly<ReplicaSetStatus> {
  const { active, terminating, now } = input;
  const { minReadySeconds = 0, template } = set.spec ?? {};
  const labels = Object.entries(template?.metadata?.labels ?? {});
  const isLabeled = ({ metadata }: SomePod): boolean =>
    labels.every(([key, value]) => metadata.labels?.[key] === value);
  const conditions = conditionsOf(set, input);
  const { conditions: _, ...rest } = set.status ?? { replicas: 0 };
  return {
    ...rest,
    replicas: active.length,
    fullyLabeledReplicas: active.filter(isLabeled).length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    terminatingReplicas: terminating.length,
    observedGeneration: set.metadata.generation ?? 0,
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/**
 * Returns the conditions. `ReplicaFailure` keeps the message of the first failure until a reconcile succeeds, as in
 * replica_set_utils.go; otherwise a changing message would cause a status update, and thus a reconcile, on every
 * retry.
 */
function conditionsOf(
  { status }: Stored<ReplicaSet>,
  { failure, now }: StatusInput,
): readonly DeepReadonly<ReplicaSetCondition>[] {
  const conditions = status?.conditions ?? [];
  if (failure === undefined) return conditions.filter(({ type }) => type !== "ReplicaFailure");
  if (conditions.some(({ type }) => type === "ReplicaFailure")) return conditions;
  const lastTransitionTime = formatTime(now);
  return [...conditions, { type: "ReplicaFailure", status: "True", lastTransitionTime, ...failure }];
}
