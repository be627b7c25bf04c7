/** The rate at the beginning and at the end of a burst, in objects per second. */
export interface Steadiness {
  readonly first: number;
  readonly last: number;
  /** The rate of the beginning divided by the rate of the end: 1 or less for a rate that does not fall. */
  readonly slowdown: number;
}

/** The measurements of one burst. */
export interface BurstNumbers extends Steadiness {
  /** Objects per second, from the first to the last. */
  readonly perSecond: number;
}

/**
 * Compares the first and the last `share` objects of a burst, by the times at which they were done, in seconds since its start.
 *
 * Throws a `RangeError` when there are fewer than two such shares.
 */
export function steadinessOf(doneAt: readonly number[], share: number): Steadiness {
  if (share < 1 || doneAt.length < share * 2)
    throw new RangeError(`${doneAt.length} objects are fewer than two shares of ${share}`);
  const rate = (from: number, to: number): number => share / ((doneAt[to] ?? 0) - (from < 0 ? 0 : (doneAt[from] ?? 0)));
  const first = rate(-1, share - 1);
  const last = rate(doneAt.length - share - 1, doneAt.length - 1);
  return { first, last, slowdown: first / last };
}

/** Returns a function that tells how many seconds of CPU time this process has used since the call. */
export function cpuSeconds(): () => number {
  const begun = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1e6;
  };
}
