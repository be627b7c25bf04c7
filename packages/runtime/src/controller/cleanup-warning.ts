import { shownAs } from "./outcome.ts";

/** The failure of a cleanup that is reported first. One or two failures often go away by themselves. */
const firstReported = 3;

/**
 * Returns the Warning event for an object whose cleanup keeps failing; undefined when none is due.
 *
 * Without it, `kubectl delete` waits and `kubectl describe` shows nothing: the object has a finalizer, and the reason why it is
 * not removed is in the log of the controller alone. Events are due after 3, 6, 12, 24, ... failures in a row, and their note
 * has no numbers, so that the recorder adds them to one series.
 */
export function cleanupWarning(
  failures: number,
  error: unknown,
): { readonly reason: string; readonly note: string } | undefined {
  if (!Number.isInteger(Math.log2(failures / firstReported)) || failures < firstReported) return undefined;
  const { message } = shownAs(error);
  return { reason: "CleanupFailed", note: `Cleanup keeps failing, so the object is not deleted: ${message}` };
}
