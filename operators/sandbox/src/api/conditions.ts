// Default conditions of new objects.

import type { Condition, ConditionReasons } from "@homeostat/schema";

/** Reason of a condition that the operator has not determined yet. Every condition type declares it. */
export const pendingReason = "Pending";

/**
 * Returns the conditions of a new object, which are the default of its status: each type is Unknown. A client that waits for a
 * condition therefore never waits for one that does not exist.
 *
 * The time is a constant because a default cannot be computed. The first real status replaces it.
 */
export function initialConditions(reasons: ConditionReasons): (Condition & { status: "Unknown" })[] {
  return Object.keys(reasons).map((type) => ({
    type,
    status: "Unknown",
    reason: pendingReason,
    message: "Waiting for the operator.",
    lastTransitionTime: "1970-01-01T00:00:00Z",
  }));
}
