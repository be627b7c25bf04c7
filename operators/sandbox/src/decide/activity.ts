// When the last request of a sandbox is recorded in its status.

import { decideLifetime, type Lifetime, type LifetimeInput } from "./expiry.ts";

/** Times in milliseconds since the epoch. */
export interface ActivityInput {
  /** Time in the status of the sandbox. */
  readonly recorded: number | undefined;
  /** Times in the status of tables, as proxies report them. */
  readonly reported: readonly number[];
  /** Returns the lifetime that follows from a last request. */
  readonly lifetime: (lastActivityAt: number | undefined) => Lifetime;
}

export interface RecordedActivity {
  /** The newest known request. It decides about sleep. */
  readonly newest: number | undefined;
  /** Time for the status. */
  readonly recorded: number | undefined;
  readonly lifetime: Lifetime;
}

/** Interval in which the time in the status changes at most once. */
const intervalMs = 60_000;

/**
 * Decides about the recorded time of the last request.
 *
 * The recorded time lags behind the newest one by up to a minute, so that a busy sandbox does not cause a write of its status for every report.
 * Decisions that would end something use the newest time: a sandbox does not expire, and forks do not sleep, because of the lag.
 */
export function decideActivity({ recorded, reported, lifetime }: ActivityInput): RecordedActivity {
  const newest = Math.max(...reported, recorded ?? -Infinity);
  if (newest === -Infinity) return { newest: undefined, recorded: undefined, lifetime: lifetime(undefined) };
  const lagging = recorded !== undefined && newest - recorded < intervalMs ? lifetime(recorded) : undefined;
  if (lagging !== undefined && lagging.state !== "expired" && lagging.state !== "expiring")
    return { newest, recorded, lifetime: lagging };
  return { newest, recorded: newest, lifetime: lifetime(newest) };
}

/** Returns the function that {@link decideActivity} needs, for the lifetime of one sandbox. */
export function lifetimeBy(input: Omit<LifetimeInput, "lastActivityAt">): ActivityInput["lifetime"] {
  return (lastActivityAt) => decideLifetime({ ...input, lastActivityAt });
}
