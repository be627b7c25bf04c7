// How far the pods of a tenant are with what its Secret says.

import type { DeepReadonly } from "@homeostat/core";
import type { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import type { Wanted } from "../build/resolved-tenant.ts";
import type { Credentials } from "../decide/credentials.ts";
import { aclChecksum, credentialsChecksum } from "../build/redis-secret.ts";
import type { RotationView } from "../decide/rotation.ts";

/** The workloads of a tenant and their pods, those that are ending included. */
export interface Workloads {
  readonly redis: DeepReadonly<StatefulSet> | undefined;
  readonly redisPods: readonly DeepReadonly<Pod>[];
  readonly server: DeepReadonly<Deployment> | undefined;
  readonly serverPods: readonly DeepReadonly<Pod>[];
}

/** What a change of the password waits for, as it is seen now. */
export function rotationView(
  wanted: Pick<Wanted, "redis" | "isHibernated">,
  credentials: Credentials,
  { redis, redisPods, server, serverPods }: Workloads,
): RotationView {
  const acl = aclChecksum(credentials, wanted.redis);
  const client = credentialsChecksum(credentials, wanted.redis);
  const isOfAcl = (pod: DeepReadonly<Pod>): boolean => isMarked(pod.metadata, annotations.aclChecksum, acl);
  const isOfClient = (pod: DeepReadonly<Pod>): boolean =>
    isMarked(pod.metadata, annotations.credentialsChecksum, client);
  return {
    isRedisRolled:
      isMarked(redis?.spec?.template.metadata, annotations.aclChecksum, acl) &&
      isComplete(redis) &&
      redisPods.filter(isAlive).every(isOfAcl),
    areReplicasRolled: wanted.redis.mode === "standalone" || areFollowersRolled(redis, redisPods, isOfAcl),
    // A pod that is ending may still answer requests, and then it still needs the password it was started with.
    isServerRolled:
      isMarked(server?.spec?.template.metadata, annotations.credentialsChecksum, client) &&
      isComplete(server) &&
      serverPods.filter(isAlive).every(isOfClient),
    isAsleep:
      wanted.isHibernated &&
      !redisPods.some(isAlive) &&
      !serverPods.some(isAlive) &&
      (redis?.spec?.replicas ?? 0) === 0 &&
      (server?.spec?.replicas ?? 0) === 0,
  };
}

/** Whether a workload has nothing but ready pods of its newest template, and as many as wanted. */
export function isComplete(workload: DeepReadonly<Deployment> | DeepReadonly<StatefulSet> | undefined): boolean {
  if (workload?.spec === undefined || workload.status === undefined) return false;
  const { replicas: wanted = 1 } = workload.spec;
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0, readyReplicas = 0 } = workload.status;
  return (
    observedGeneration >= (workload.metadata.generation ?? 0) &&
    updatedReplicas === wanted &&
    readyReplicas === wanted &&
    replicas === wanted
  );
}

/** All but the first pod, which is the master and is restarted last. */
function areFollowersRolled(
  redis: DeepReadonly<StatefulSet> | undefined,
  pods: readonly DeepReadonly<Pod>[],
  isRolled: (pod: DeepReadonly<Pod>) => boolean,
): boolean {
  const followers = pods.filter((pod) => isAlive(pod) && !(pod.metadata.name ?? "").endsWith("-0"));
  const wanted = Math.max(0, (redis?.spec?.replicas ?? 0) - 1);
  return redis !== undefined && followers.length === wanted && followers.every((pod) => isRolled(pod) && isReady(pod));
}

function isMarked(
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
  return (status?.conditions ?? []).some(({ type, status: is }) => type === "Ready" && is === "True");
}
