/** How many different reasons a key keeps. */
export const reasonsMax = 8;

/** How many characters of a reason are kept. */
const reasonLengthMax = 256;

/** No reasons. */
export const noReasons: readonly string[] = Object.freeze([]);

/** A reason, cut to the length that is kept. */
export function shorten(reason: string): string {
  return reason.length > reasonLengthMax ? reason.slice(0, reasonLengthMax) : reason;
}

/**
 * The reasons with one more that is not among them; `undefined` when there is no room.
 *
 * They tell logs, traces and people why a key was added, over all the adds that became one. A reconciler that branched on
 * them would miss whatever happened while it was not running.
 */
export function withReason(reasons: readonly string[], reason: string): readonly string[] | undefined {
  if (reasons.length === 0) return only(reason);
  return reasons.length < reasonsMax ? [...reasons, reason] : undefined;
}

let last: readonly string[] = noReasons;

/** A list of one reason. A burst of adds has one reason, and then all of them share a list. */
function only(reason: string): readonly string[] {
  if (last[0] !== reason) last = Object.freeze([reason]);
  return last;
}
