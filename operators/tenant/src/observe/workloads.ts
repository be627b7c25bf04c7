// The replicas of workloads, and how far their pods have rolled to what the Redis Secret contains.

import type { DeepReadonly } from "homeostat";
import type { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { aclChecksum, credentialsChecksum } from "../build/redis-secret.ts";
import type { ResolvedTenant } from "../build/resolve.ts";
import type { Credentials } from "../decide/credentials.ts";
import type { RolloutState } from "../decide/rotation.ts";
import type { ObservedComponent } from "../status/component.ts";
import type { Observed } from "./observe.ts";

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
function isStatusCurrent({ metadata, status }: DeepReadonly<Deployment> | DeepReadonly<StatefulSet>): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

type Workloads = Pick<Observed, "redis" | "redisPods" | "server" | "serverPods">;

/** Returns what the steps of a password rotation wait for. */
export function rolloutState(
  resolved: Pick<ResolvedTenant, "redis" | "isHibernated">,
  credentials: Credentials,
  { redis, redisPods, server, serverPods }: Workloads,
): RolloutState {
  const acl = aclChecksum(credentials, resolved.redis);
  const client = credentialsChecksum(credentials, resolved.redis);
  const hasAcl = ({ metadata }: DeepReadonly<Pod>): boolean => isAnnotated(metadata, annotations.aclChecksum, acl);
  // A terminating pod may still serve requests, so it still needs the password it was started with: it counts, too.
  const hasClient = ({ metadata }: DeepReadonly<Pod>): boolean =>
    isAnnotated(metadata, annotations.credentialsChecksum, client);
  return {
    isRedisRolled:
      isAnnotated(redis?.spec?.template.metadata, annotations.aclChecksum, acl) &&
      isComplete(redis) &&
      redisPods.filter(isAlive).every(hasAcl),
    areReplicasRolled: resolved.redis.mode === "standalone" || areReplicasRolled(redis, redisPods, hasAcl),
    isServerRolled:
      isAnnotated(server?.spec?.template.metadata, annotations.credentialsChecksum, client) &&
      isComplete(server) &&
      serverPods.filter(isAlive).every(hasClient),
    isHibernated:
      resolved.isHibernated &&
      ![...redisPods, ...serverPods].some(isAlive) &&
      (redis?.spec?.replicas ?? 0) === 0 &&
      (server?.spec?.replicas ?? 0) === 0,
  };
}

/** Reports whether a workload has exactly as many pods as it wants, all of them updated and ready. */
export function isComplete(workload: DeepReadonly<Deployment> | DeepReadonly<StatefulSet> | undefined): boolean {
  if (workload?.spec === undefined || workload.status === undefined) return false;
  const { replicas: desired = 1 } = workload.spec;
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0 } = workload.status;
  return isStatusCurrent(workload) && [updatedReplicas, readyReplicas, replicas].every((count) => count === desired);
}

/** Looks at all pods but the master, which has ordinal 0 and restarts last. */
function areReplicasRolled(
  redis: DeepReadonly<StatefulSet> | undefined,
  pods: readonly DeepReadonly<Pod>[],
  isRolled: (pod: DeepReadonly<Pod>) => boolean,
): boolean {
  const replicas = pods.filter((pod) => isAlive(pod) && !(pod.metadata.name ?? "").endsWith("-0"));
  const desired = Math.max(0, (redis?.spec?.replicas ?? 0) - 1);
  return redis !== undefined && replicas.length === desired && replicas.every((pod) => isRolled(pod) && isReady(pod));
}

function isAnnotated(
  metadata: { readonly annotations?: Readonly<Record<string, string>> } | undefined,
  key: string,
  value: string,
): boolean {
  const all = metadata?.annotations ?? {};
  return Object.hasOwn(all, key) && all[key] === value;
}

function isAlive({ status }: DeepReadonly<Pod>): boolean {
  return status?.phase !== "Succeeded" && status?.phase !== "Failed";
}

function isReady({ status }: DeepReadonly<Pod>): boolean {
  return (status?.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");
}
