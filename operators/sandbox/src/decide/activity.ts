// Decides when the time of the last request of a sandbox is recorded in its status.

import { decideLifetime, type Lifetime, type LifetimeInput } from "./expiry.ts";

/** Times in milliseconds since the epoch. */
export interface ActivityInput {
  /** Time in the status of the sandbox. */
  readonly recorded: number | undefined;
  /** Times in the status of tables, as proxies report them. */
  readonly reported: readonly number[];
  /** Returns the lifetime for a time of the last request. */
  readonly lifetime: (lastActivityAt: number | undefined) => Lifetime;
}

export interface RecordedActivity {
  /** Time of the newest known request, which determines when forks sleep. */
  readonly newest: number | undefined;
  /** Time for the status. */
  readonly recorded: number | undefined;
  readonly lifetime: Lifetime;
}

/** Minimum interval between two changes of the time in the status. */
const intervalMs = 60_000;

/**
 * Decides about the recorded time of the last request.
 *
 * The recorded time lags behind the newest one by up to a minute, so a busy sandbox does not cause a write of its status for every report. Decisions
 * about expiry and sleep use the newest time, so neither happens early because of the lag.
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
