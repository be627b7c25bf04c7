import type { ResolvedTenant } from "../build/resolve.ts";

/** Observed replicas, as far as the hibernation order depends on them. */
export interface LiveReplicas {
  /** `spec.replicas` of the server Deployment; undefined when it does not exist. */
  readonly serverReplicas: number | undefined;
  /** Server pods, including terminating ones. */
  readonly serverPods: number;
  /** True if all Redis pods of the spec are ready. */
  readonly isRedisReady: boolean;
}

/**
 * Decides how many replicas each workload has now: the hibernation order.
 *
 * Hibernating: the server stops first, so that Redis has every write before it stops. Resuming: Redis starts first. The server of a
 * new tenant does not wait, and a running server is never stopped because Redis is not ready.
 */
export function decideReplicas(
  { isHibernated, redis, server }: Pick<ResolvedTenant, "isHibernated" | "redis" | "server">,
  live: LiveReplicas,
): { readonly redis: number; readonly server: number } {
  if (isHibernated) {
    const isServerGone = live.serverPods === 0 && (live.serverReplicas ?? 0) === 0;
    return { redis: isServerGone ? 0 : redis.replicas, server: 0 };
  }
  const isResuming = live.serverReplicas === 0 && !live.isRedisReady;
  return { redis: redis.replicas, server: isResuming ? 0 : server.replicas };
}
