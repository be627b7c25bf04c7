// Decides when forks without requests sleep: their Deployments are scaled to zero until the next request.

/** Input of {@link decideIdle}. Times in milliseconds since the epoch. */
export interface IdleInput {
  readonly isSuspended: boolean;
  readonly startIdle: boolean;
  /** Time without a request after which the forks sleep; undefined: they never sleep. */
  readonly sleepAfterSeconds: number | undefined;
  readonly createdAt: number;
  /** Time of the last request that a proxy routed to, or held for, the sandbox. */
  readonly lastActivityAt: number | undefined;
  readonly now: number;
}

export type IdleDecision =
  | { readonly state: "awake"; readonly sleepsAt: number | undefined }
  | { readonly state: "asleep" }
  | { readonly state: "suspended" };

/**
 * Decides whether the forks of a sandbox have pods.
 *
 * The decision depends on recorded times only, never on the current replicas: a restarted operator makes the same decision, and a repeated wake-up
 * has no further effect. A held request counts as activity, which is how a proxy wakes a sleeping fork.
 */
export function decideIdle(input: IdleInput): IdleDecision {
  const { isSuspended, startIdle, sleepAfterSeconds, createdAt, lastActivityAt, now } = input;
  if (isSuspended) return { state: "suspended" };
  if (startIdle && lastActivityAt === undefined) return { state: "asleep" };
  if (sleepAfterSeconds === undefined) return { state: "awake", sleepsAt: undefined };
  const sleepsAt = Math.max(createdAt, lastActivityAt ?? createdAt) + sleepAfterSeconds * 1_000;
  return now >= sleepsAt ? { state: "asleep" } : { state: "awake", sleepsAt };
}
