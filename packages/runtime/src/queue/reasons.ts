/** Number of distinct reasons kept per key. */
export const reasonsMax = 8;

/** Number of characters kept of a reason. */
const reasonLengthMax = 256;

export const noReasons: readonly string[] = Object.freeze([]);

/** Returns a reason cut to the kept length. */
export function shorten(reason: string): string {
  return reason.length > reasonLengthMax ? reason.slice(0, reasonLengthMax) : reason;
}

/**
 * Returns the reasons with a new one appended; `undefined` if the limit is reached.
 *
 * Reasons explain in logs and traces why a key was added, across all merged adds. A reconciler that branches on them
 * misses what happened while it was not running.
 */
export function withReason(reasons: readonly string[], reason: string): readonly string[] | undefined {
  if (reasons.length === 0) return singleReason(reason);
  return reasons.length < reasonsMax ? [...reasons, reason] : undefined;
}

let last: readonly string[] = noReasons;

/** Returns a list of one reason. A burst of adds usually has a single reason, so they share one list. */
function singleReason(reason: string): readonly string[] {
  if (last[0] !== reason) last = Object.freeze([reason]);
  return last;
}
