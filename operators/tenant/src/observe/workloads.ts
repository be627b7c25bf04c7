// What the workloads of a tenant tell about themselves.

import type { DeepReadonly } from "@homeostat/core";
import type { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { ComponentView, Obstacle } from "../status/component.ts";

type Numbers = Pick<ComponentView, "exists" | "ready" | "updated" | "isComplete">;

const nothing: Numbers = { exists: false, ready: 0, updated: 0, isComplete: false };

/** What a StatefulSet says about its pods. */
export function statefulSetNumbers(object: DeepReadonly<StatefulSet> | undefined, wanted: number): Numbers {
  if (object === undefined) return nothing;
  const { generation = 0 } = object.metadata;
  const {
    observedGeneration = 0,
    readyReplicas = 0,
    updatedReplicas = 0,
    currentRevision,
    updateRevision,
  } = object.status ?? {};
  const isSeen = observedGeneration >= generation;
  const isRolled = updatedReplicas === wanted || (currentRevision !== undefined && currentRevision === updateRevision);
  return {
    exists: true,
    ready: readyReplicas,
    updated: updatedReplicas,
    isComplete: isSeen && isRolled && readyReplicas === wanted,
  };
}

/** What a Deployment says about its pods. */
export function deploymentNumbers(object: DeepReadonly<Deployment> | undefined, wanted: number): Numbers {
  if (object === undefined) return nothing;
  const { generation = 0 } = object.metadata;
  const { observedGeneration = 0, readyReplicas = 0, updatedReplicas = 0, replicas = 0 } = object.status ?? {};
  const isSeen = observedGeneration >= generation;
  const isRolled = updatedReplicas === wanted && readyReplicas === wanted && replicas === wanted;
  return { exists: true, ready: readyReplicas, updated: updatedReplicas, isComplete: isSeen && isRolled };
}

/** What keeps a Deployment from getting on, as its conditions tell; undefined when they tell nothing. */
export function deploymentObstacle(object: DeepReadonly<Deployment> | undefined): Obstacle | undefined {
  const conditions = object?.status?.conditions ?? [];
  const failure = conditions.find(({ type, status }) => type === "ReplicaFailure" && status === "True");
  if (failure !== undefined) {
    const { message = "its pods cannot be made" } = failure;
    return refusalOf(message) ?? { reason: "ReconcileError", message };
  }
  const stuck = conditions.find(({ type, status }) => type === "Progressing" && status === "False");
  if (stuck === undefined) return undefined;
  return { reason: "ProgressDeadlineExceeded", message: stuck.message ?? "the update does not get on" };
}

/** What a text of the API server says about why a pod or another object is refused; undefined when it is about something else. */
export function refusalOf(message: string): Obstacle | undefined {
  if (message.includes("exceeded quota") || message.includes("failed quota"))
    return { reason: "QuotaExceeded", message };
  return message.includes("PodSecurity") ? { reason: "PodSecurity", message } : undefined;
}
