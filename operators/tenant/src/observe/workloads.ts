// Progress of the rollout of the Redis Secret to the pods of a tenant.

import type { DeepReadonly } from "homeostat";
import { isConditionTrue } from "@homeostat/core";
import type { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { isPodFinished, isRolloutComplete, type RollingWorkload } from "@homeostat/runtime";
import { annotations } from "../api/identity.ts";
import { aclChecksum, credentialsChecksum } from "../build/redis-secret.ts";
import type { ResolvedTenant } from "../build/resolve.ts";
import type { Credentials } from "../build/credentials.ts";
import type { RolloutState } from "../decide/rotation.ts";
import type { Observed } from "./observe.ts";

type Annotated = { readonly annotations?: Readonly<Record<string, string>> };

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
  const isRolled = (workload: RollingWorkload | undefined, pods: Observed["redisPods"], has: typeof hasAcl): boolean =>
    has(workload?.spec?.template.metadata) &&
    isRolloutComplete(workload) &&
    // Terminating pods count as well: they may still serve requests and need the password they were started with.
    pods.every((pod) => isPodFinished(pod) || has(pod.metadata));
  return {
    isRedisRolled: isRolled(redis, redisPods, hasAcl),
    areReplicasRolled: resolved.redis.mode === "standalone" || areReplicasRolled(redis, redisPods, hasAcl),
    isServerRolled: isRolled(server, serverPods, hasClient),
    isHibernated:
      resolved.isHibernated &&
      [...redisPods, ...serverPods].every(isPodFinished) &&
      (redis?.spec?.replicas ?? 0) === 0 &&
      (server?.spec?.replicas ?? 0) === 0,
  };
}

/** Reports whether all pods except the master have the ACL. The master has ordinal 0 and restarts last. */
function areReplicasRolled(
  redis: DeepReadonly<StatefulSet> | undefined,
  pods: readonly DeepReadonly<Pod>[],
  hasAcl: (metadata?: Annotated) => boolean,
): boolean {
  const replicas = pods.filter((pod) => !isPodFinished(pod) && !(pod.metadata.name ?? "").endsWith("-0"));
  const desired = Math.max(0, (redis?.spec?.replicas ?? 0) - 1);
  const isReady = ({ metadata, status }: DeepReadonly<Pod>): boolean =>
    hasAcl(metadata) && isConditionTrue(status?.conditions, "Ready");
  return redis !== undefined && replicas.length === desired && replicas.every(isReady);
}

function isAnnotated(metadata: Annotated | undefined, key: string, value: string): boolean {
  const all = metadata?.annotations ?? {};
  return Object.hasOwn(all, key) && all[key] === value;
}
