import { shownAs } from "./outcome.ts";

/** Number of failures in a row after which the first event is recorded. One or two failures are often gone with the next retry. */
const firstReported = 3;

/**
 * Returns the Warning event for an object whose cleanup keeps failing; undefined when none is due.
 *
 * Without it, `kubectl delete` waits and `kubectl describe` shows nothing: the object has a finalizer, and the reason why it is not removed
 * would only be in the log of the controller. Events are due after 3, 6, 12, 24, ... failures in a row. Their note contains no counters, so that
 * the recorder adds equal ones to one series.
 */
export function cleanupWarning(
  failures: number,
  error: unknown,
): { readonly reason: string; readonly note: string } | undefined {
  if (!Number.isInteger(Math.log2(failures / firstReported)) || failures < firstReported) return undefined;
  const { message } = shownAs(error);
  return { reason: "CleanupFailed", note: `Cleanup keeps failing, so the object is not deleted: ${message}` };
}
