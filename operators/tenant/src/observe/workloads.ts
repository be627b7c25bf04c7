// The replicas of workloads, and how far their pods have rolled to what the Redis Secret contains.

import type { DeepReadonly } from "homeostat";
import { isConditionTrue } from "@homeostat/core";
import type { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { aclChecksum, credentialsChecksum } from "../build/redis-secret.ts";
import type { ResolvedTenant } from "../build/resolve.ts";
import type { Credentials } from "../decide/credentials.ts";
import type { RolloutState } from "../decide/rotation.ts";
import type { ObservedComponent } from "../status/component.ts";
import type { Observed } from "./observe.ts";

type Workload = DeepReadonly<Deployment> | DeepReadonly<StatefulSet>;
type Annotated = { readonly annotations?: Readonly<Record<string, string>> };

/** Returns the replica counts of a workload, as the status of its component shows them. */
export function replicasOf(
  workload: Workload | undefined,
  desired: number,
): Pick<ObservedComponent, "exists" | "ready" | "updated" | "isComplete"> {
  const { spec, status } = workload ?? {};
  const { readyReplicas: ready = 0, updatedReplicas: updated = 0, replicas = 0 } = status ?? {};
  const isSet = spec !== undefined && "serviceName" in spec;
  // A StatefulSet whose revisions are the same has no other pods, whatever its counts say.
  const hasOneRevision =
    status !== undefined && "updateRevision" in status && status.currentRevision === status.updateRevision;
  const isRolled = isSet ? updated === desired || hasOneRevision : updated === desired && replicas === desired;
  const isComplete = workload !== undefined && isStatusCurrent(workload) && isRolled && ready === desired;
  return { exists: workload !== undefined, ready, updated, isComplete };
}

/** Reports whether the status belongs to the current generation. */
function isStatusCurrent({ metadata, status }: Workload): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

/** Returns what the steps of a password rotation wait for. */
export function rolloutState(
  resolved: Pick<ResolvedTenant, "redis" | "isHibernated">,
  credentials: Credentials,
  { redis, redisPods, server, serverPods }: Pick<Observed, "redis" | "redisPods" | "server" | "serverPods">,
): RolloutState {
  const acl = aclChecksum(credentials, resolved.redis);
  const client = credentialsChecksum(credentials, resolved.redis);
  const hasAcl = (metadata?: Annotated): boolean => isAnnotated(metadata, annotations.aclChecksum, acl);
  const hasClient = (metadata?: Annotated): boolean => isAnnotated(metadata, annotations.credentialsChecksum, client);
  const isRolled = (workload: Workload | undefined, pods: Observed["redisPods"], has: typeof hasAcl): boolean =>
    has(workload?.spec?.template.metadata) &&
    isComplete(workload) &&
    // A terminating pod may still serve requests, so it still needs the password it was started with: it counts, too.
    pods.filter(isAlive).every(({ metadata }) => has(metadata));
  return {
    isRedisRolled: isRolled(redis, redisPods, hasAcl),
    areReplicasRolled: resolved.redis.mode === "standalone" || areReplicasRolled(redis, redisPods, hasAcl),
    isServerRolled: isRolled(server, serverPods, hasClient),
    isHibernated:
      resolved.isHibernated &&
      ![...redisPods, ...serverPods].some(isAlive) &&
      (redis?.spec?.replicas ?? 0) === 0 &&
      (server?.spec?.replicas ?? 0) === 0,
  };
}

/** Reports whether a workload has exactly as many pods as it wants, all of them updated and ready. */
export function isComplete(workload: Workload | undefined): boolean {
  if (workload?.spec === undefined || workload.status === undefined) return false;
  const { replicas: desired = 1 } = workload.spec;
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0 } = workload.status;
  return isStatusCurrent(workload) && [updatedReplicas, readyReplicas, replicas].every((count) => count === desired);
}

/** Looks at all pods but the master, which has ordinal 0 and restarts last. */
function areReplicasRolled(
  redis: DeepReadonly<StatefulSet> | undefined,
  pods: readonly DeepReadonly<Pod>[],
  hasAcl: (metadata?: Annotated) => boolean,
): boolean {
  const replicas = pods.filter((pod) => isAlive(pod) && !(pod.metadata.name ?? "").endsWith("-0"));
  const desired = Math.max(0, (redis?.spec?.replicas ?? 0) - 1);
  const isReady = ({ metadata, status }: DeepReadonly<Pod>): boolean =>
    hasAcl(metadata) && isConditionTrue(status?.conditions, "Ready");
  return redis !== undefined && replicas.length === desired && replicas.every(isReady);
}

function isAnnotated(metadata: Annotated | undefined, key: string, value: string): boolean {
  const all = metadata?.annotations ?? {};
  return Object.hasOwn(all, key) && all[key] === value;
}

function isAlive({ status }: DeepReadonly<Pod>): boolean {
  return status?.phase !== "Succeeded" && status?.phase !== "Failed";
}
