// Decides when the activity of a table is written to its status.

import type { LastRequest } from "./activity-ledger.ts";

export interface ActivityInput {
  readonly reported: ReadonlyMap<string, LastRequest>;
  /** Times in the status, in milliseconds since the epoch. */
  readonly observed: ReadonlyMap<string, number>;
  /** UIDs of the sandboxes with an entry in the table. */
  readonly sandboxUids: ReadonlySet<string>;
  /** Returns the setting of a sandbox. */
  sleepAfterSeconds(this: void, uid: string): number | undefined;
  /** Time of the last attempt to write; undefined if there was none. */
  readonly attemptedAt: number | undefined;
  readonly now: number;
}

/** Times to write by UID; null removes the entry of a sandbox that has no route here. */
export type ActivityPatch = Readonly<Record<string, number | null>>;

/** Age at which a written time is refreshed, if there were newer requests. */
const refreshMs = 60_000;
const refreshMsMin = 5_000;
/** Time between two writes of one table, unless requests wait. */
const gapMs = 5_000;

/**
 * Returns the times to write; undefined if no write is needed now.
 *
 * A time is refreshed when the written one is a minute old. Sandboxes with idle scaling need more frequent writes: if the operator received their
 * times too late, it would scale them to zero under load. Its times are refreshed after a third of `sleepAfterSeconds`. A fork that sleeps had no
 * request for longer than that, so the first request that waits for it is written at once, and other waiting requests cause no further write.
 */
export function planActivity(input: ActivityInput): ActivityPatch | undefined {
  const { reported, observed, sandboxUids, attemptedAt, now } = input;
  const due = [...reported].filter(([uid, last]) => isDue(uid, last, input));
  const gone = [...observed.keys()].filter((uid) => !sandboxUids.has(uid));
  if (due.length === 0 && gone.length === 0) return undefined;
  const isUrgent = due.some(([, { isWaiting }]) => isWaiting);
  if (!isUrgent && attemptedAt !== undefined && now - attemptedAt < gapMs) return undefined;
  // A due write contains all changes, so the sandboxes of one table are refreshed together.
  const changed = [...reported].filter(([uid, { at }]) => sandboxUids.has(uid) && at > (observed.get(uid) ?? 0));
  return Object.fromEntries([
    ...changed.map(([uid, { at }]) => [uid, at] as const),
    ...gone.map((uid) => [uid, null] as const),
  ]);
}

function isDue(
  uid: string,
  { at }: LastRequest,
  { observed, sandboxUids, sleepAfterSeconds, now }: ActivityInput,
): boolean {
  if (!sandboxUids.has(uid)) return false;
  const written = observed.get(uid);
  if (written === undefined) return true;
  const sleepMs = (sleepAfterSeconds(uid) ?? Infinity) * 1_000;
  return at > written && now - written >= Math.min(refreshMs, Math.max(refreshMsMin, sleepMs / 3));
}
