// What workloads report in their status.

import type { DeepReadonly } from "homeostat";
import type { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { ComponentProblem, ObservedComponent } from "../status/component.ts";

type Replicas = Pick<ObservedComponent, "exists" | "ready" | "updated" | "isComplete">;

const none: Replicas = { exists: false, ready: 0, updated: 0, isComplete: false };

export function statefulSetReplicas(object: DeepReadonly<StatefulSet> | undefined, desired: number): Replicas {
  if (object === undefined) return none;
  const { currentRevision, updateRevision, readyReplicas = 0, updatedReplicas = 0 } = object.status ?? {};
  const isRolled = updatedReplicas === desired || (currentRevision !== undefined && currentRevision === updateRevision);
  const isComplete = isStatusCurrent(object) && isRolled && readyReplicas === desired;
  return { exists: true, ready: readyReplicas, updated: updatedReplicas, isComplete };
}

export function deploymentReplicas(object: DeepReadonly<Deployment> | undefined, desired: number): Replicas {
  if (object === undefined) return none;
  const { readyReplicas = 0, updatedReplicas = 0, replicas = 0 } = object.status ?? {};
  const isRolled = updatedReplicas === desired && readyReplicas === desired && replicas === desired;
  const isComplete = isStatusCurrent(object) && isRolled;
  return { exists: true, ready: readyReplicas, updated: updatedReplicas, isComplete };
}

/** Reports whether the status belongs to the current generation. */
export function isStatusCurrent({ metadata, status }: DeepReadonly<Deployment> | DeepReadonly<StatefulSet>): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

/** Returns why a Deployment makes no progress, from its conditions. */
export function deploymentProblem(object: DeepReadonly<Deployment> | undefined): ComponentProblem | undefined {
  const conditions = object?.status?.conditions ?? [];
  const failure = conditions.find(({ type, status }) => type === "ReplicaFailure" && status === "True");
  if (failure !== undefined) {
    const { message = "pods cannot be created" } = failure;
    return refusalIn(message) ?? { reason: "ReconcileError", message };
  }
  const stuck = conditions.find(({ type, status }) => type === "Progressing" && status === "False");
  if (stuck === undefined) return undefined;
  return { reason: "ProgressDeadlineExceeded", message: stuck.message ?? "the rollout makes no progress" };
}

/** Returns the quota or Pod Security refusal in a message of the API server; undefined for any other message. */
export function refusalIn(message: string): ComponentProblem | undefined {
  if (/(?:exceeded|failed) quota/.test(message)) return { reason: "QuotaExceeded", message };
  return message.includes("PodSecurity") ? { reason: "PodSecurity", message } : undefined;
}
