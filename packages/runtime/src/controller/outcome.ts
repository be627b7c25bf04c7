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

/** How far a run came. */
export type RunEnd =
  /** There is no such object, or it is being deleted and nothing of it is ours to clear up. */
  | { readonly at: "nothing" }
  /** `isCleared`: a cleanup said that it is done. */
  | { readonly at: "returned"; readonly requeueAfterMs?: number | undefined; readonly isCleared?: boolean }
  /** `isSync`: it threw before it returned a promise. */
  | { readonly at: "threw"; readonly error: unknown; readonly isSync?: boolean };

/** What happened to the run from outside. */
export interface RunLimits {
  /** The error of the deadline, when that has passed. */
  readonly deadline?: Error | undefined;
  /** Whether the term was broken off: leadership lost, or no more time to stop. */
  readonly isBrokenOff?: boolean | undefined;
}

/** What a run comes to, and so what happens next. */
export type Outcome =
  /** Nothing to do until something changes. */
  | { readonly type: "done" }
  /** Run again after a time that the reconciler chose. */
  | { readonly type: "later"; readonly afterMs: number }
  /** Somebody else was faster, or something is still on its way out: read again, soon and without a fuss. */
  | { readonly type: "again"; readonly error: unknown }
  /** Broken off with the term: it says nothing about the object. */
  | { readonly type: "broken-off"; readonly error: unknown }
  /** Tried again with growing pauses, and not before `retryAfterMs`. */
  | { readonly type: "failed"; readonly error: unknown; readonly retryAfterMs: number; readonly isPanic: boolean }
  /** Not tried again before something changes. */
  | { readonly type: "terminal"; readonly error: unknown; readonly reason: string; readonly message: string };

/** What a run comes to. The first row that fits counts. */
export function decide(end: RunEnd, { deadline, isBrokenOff = false }: RunLimits): Outcome {
  if (end.at === "nothing") return { type: "done" };
  if (isBrokenOff && end.at === "threw") return { type: "broken-off", error: end.error };
  if (deadline !== undefined) return failed(deadline);
  if (end.at === "returned") return afterSuccess(end.requeueAfterMs);
  const { error, isSync = false } = end;
  if (isSync || !(error instanceof Error)) return { ...failed(error), isPanic: true };
  if (error instanceof NotLeaderError || error instanceof LeadershipLostError) return { type: "broken-off", error };
  if (isPassing(error)) return { type: "again", error };
  if (classify(error) === "terminal") return { type: "terminal", error, ...shownAs(error) };
  return failed(error);
}

/** How an outcome is counted. */
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
  const problem = `is ${afterMs}; it must be a number of milliseconds. To wait for events alone, leave it out.`;
  return failed(new ArgumentError({ argument: "requeueAfterMs", problem }));
}

function failed(error: unknown): Outcome & { type: "failed" } {
  return { type: "failed", error, retryAfterMs: retryAfterMsOf(error) ?? 0, isPanic: false };
}

/** Whether an error only says that the world has moved on since it was read, or is about to. */
function isPassing(error: Error): boolean {
  if (error instanceof ConflictError) return error.conflict === "version" || error.conflict === "precondition";
  return error instanceof BeingDeletedError || (error instanceof NotOwnedError && error.isPredecessor);
}

/** How long the message of a condition or an event may be. */
const messageLengthMax = 1024;

/** How an error that is not tried again is shown to users: in a condition and an event. */
export function shownAs(error: unknown): { readonly reason: string; readonly message: string } {
  const found = causeOf(error);
  const message = cutText(found instanceof Error ? found.message : String(found), messageLengthMax);
  const given = found instanceof TerminalError || found instanceof ApiError ? found.reason : nameOf(found);
  return { reason: isReason(given) ? given : "ReconcileFailed", message };
}

/** The error that says most: the first `TerminalError` among it and what caused it, else itself. */
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

/** Whether the API server takes it as the reason of a condition and of an event. */
function isReason(text: string): boolean {
  return text.length <= 128 && /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(text);
}
