import {
  ApiError,
  ArgumentError,
  classify,
  ConflictError,
  cutText,
  retryAfterMsOf,
  TerminalError,
} from "@homeostat/core";
import { LeadershipLostError, NotLeaderError } from "../election/errors.ts";
import { BeingDeletedError, NotOwnedError } from "../writes/errors.ts";
import type { ReconcileLabel } from "./controller-metrics.ts";

/** The end of the reconciler or cleanup of one reconcile. */
export type ReconcileEnd =
  /** It was not called: the object does not exist, or it is being deleted and has none of our finalizers. */
  | { readonly at: "nothing" }
  /** It returned. `isCleanedUp`: a cleanup returned `"done"`. */
  | { readonly at: "returned"; readonly requeueAfterMs?: number | undefined; readonly isCleanedUp?: boolean }
  /** It threw. `isSync`: before it returned a promise. */
  | { readonly at: "threw"; readonly error: unknown; readonly isSync?: boolean };

/** The limits that a reconcile has exceeded. */
export interface ReconcileLimits {
  /** The deadline error; undefined until the deadline has passed. */
  readonly deadline?: Error | undefined;
  /** True if the term was aborted: leadership was lost, or the shutdown grace period is over. */
  readonly isAborted?: boolean | undefined;
}

/** Outcome of a reconcile, which decides what happens to its key. */
export type Outcome =
  /** Success; the key waits for the next event. */
  | { readonly type: "done" }
  /** Success; the key is requeued after the delay that the reconciler returned. */
  | { readonly type: "later"; readonly afterMs: number }
  /**
   * A version conflict, or an object that is still being deleted. Such errors are normal in a cluster with other clients: the key is retried
   * with backoff, and the error is neither counted as an error nor logged as one.
   */
  | { readonly type: "again"; readonly error: unknown }
  /** Aborted with the term. The error tells nothing about the object. */
  | { readonly type: "broken-off"; readonly error: unknown }
  /** Failure; the key is retried with backoff, and not before `retryAfterMs`. */
  | { readonly type: "failed"; readonly error: unknown; readonly retryAfterMs: number; readonly isPanic: boolean }
  /** Terminal error; the key is not retried before an event arrives, unless the error policy has an interval for permanent errors. */
  | { readonly type: "terminal"; readonly error: unknown; readonly reason: string; readonly message: string };

/**
 * Returns the outcome of a reconcile. The first matching rule applies.
 *
 * The deadline comes before the result of the reconciler: after the abort of its signal, the error is mostly a consequence (`AbortError`), and even
 * a successful return took too long. It comes after the abort of the term, which is no fault of the reconciler.
 */
export function decide(end: ReconcileEnd, { deadline, isAborted = false }: ReconcileLimits): Outcome {
  if (end.at === "nothing") return { type: "done" };
  if (isAborted && end.at === "threw") return { type: "broken-off", error: end.error };
  if (deadline !== undefined) return failed(deadline);
  if (end.at === "returned") return afterSuccess(end.requeueAfterMs);
  const { error, isSync = false } = end;
  if (isSync || !(error instanceof Error)) return { ...failed(error), isPanic: true };
  if (error instanceof NotLeaderError || error instanceof LeadershipLostError) return { type: "broken-off", error };
  if (isExpectedRace(error)) return { type: "again", error };
  if (classify(error) === "terminal") return { type: "terminal", error, ...shownAs(error) };
  return failed(error);
}

/** Returns the value of the `result` label of controller-runtime's `reconcile_total` metric for an outcome. */
export function labelOf(outcome: Outcome): ReconcileLabel {
  switch (outcome.type) {
    case "done":
      return "success";
    case "later":
      return outcome.afterMs > 0 ? "requeue_after" : "requeue";
    case "again":
    case "broken-off":
      return "requeue";
    case "failed":
    case "terminal":
      return "error";
  }
}

function afterSuccess(afterMs: number | undefined): Outcome {
  if (afterMs === undefined) return { type: "done" };
  if (Number.isFinite(afterMs) && afterMs >= 0) return { type: "later", afterMs };
  const problem = `is ${afterMs}; it must be a number of milliseconds. Omit it to wait for events only.`;
  return failed(new ArgumentError({ argument: "requeueAfterMs", problem }));
}

function failed(error: unknown): Outcome & { type: "failed" } {
  return { type: "failed", error, retryAfterMs: retryAfterMsOf(error) ?? 0, isPanic: false };
}

/** Reports whether an error only means that the cache was outdated, or that an earlier object of the same name is still being deleted. */
function isExpectedRace(error: Error): boolean {
  if (error instanceof ConflictError) return error.conflict === "version" || error.conflict === "precondition";
  return error instanceof BeingDeletedError || (error instanceof NotOwnedError && error.isPredecessor);
}

/** Maximum length of the message of a condition or an event. The API server limits the note of an event to 1 kB. */
const messageLengthMax = 1024;

/** Returns reason and message of a terminal error for users: in a condition and an event. */
export function shownAs(error: unknown): { readonly reason: string; readonly message: string } {
  const found = causeOf(error);
  const message = cutText(found instanceof Error ? found.message : String(found), messageLengthMax);
  const given = found instanceof TerminalError || found instanceof ApiError ? found.reason : nameOf(found);
  return { reason: isReason(given) ? given : "ReconcileFailed", message };
}

/** Returns the first `TerminalError` among an error and its causes, because its author wrote the text for users; else the error itself. */
function causeOf(error: unknown): unknown {
  let cause = error;
  for (let depth = 0; depth < 10 && cause instanceof Error; depth += 1) {
    if (cause instanceof TerminalError) return cause;
    ({ cause } = cause);
  }
  return error;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

/** Reports whether the API server accepts a text as the reason of a condition and of an event. */
function isReason(text: string): boolean {
  return text.length <= 128 && /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(text);
}
