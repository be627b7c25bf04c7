import type { Wanted } from "../build/resolved-tenant.ts";
import type { Situation } from "../build/situation.ts";

/** The workloads as they are, as far as the order of falling asleep and waking needs it. */
export interface LivePods {
  /** How many pods the Deployment of the server asks for; undefined when there is none. */
  readonly serverReplicas: number | undefined;
  /** Pods of the server that are there, those that are ending included. */
  readonly serverPods: number;
  /** Whether as many pods of Redis are ready as are wanted. */
  readonly isRedisReady: boolean;
}

/**
 * How many pods each workload is to have now.
 *
 * The server goes to sleep before Redis, which then has everything that was written; Redis wakes before the server. The server
 * of a new tenant does not wait, and one that runs is never stopped because Redis is not ready.
 */
export function replicasNow({ isHibernated, redis, server }: Wanted, live: LivePods): Situation["replicas"] {
  if (isHibernated) {
    const isServerGone = live.serverPods === 0 && (live.serverReplicas ?? 0) === 0;
    return { redis: isServerGone ? 0 : redis.replicas, server: 0 };
  }
  const isWaking = live.serverReplicas === 0 && !live.isRedisReady;
  return { redis: redis.replicas, server: isWaking ? 0 : server.replicas };
}
