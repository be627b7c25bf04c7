import { ApiError, cutText, isRecord, ownValue } from "@homeostat/core";
import type { WriteNote } from "../writes/journal.ts";

/** An error without stack and without values of objects, which may be secret. */
export interface RecordedError {
  readonly code: string;
  readonly message: string;
}

/** One write of a reconcile. */
export type RecordedWrite = Omit<WriteNote, "error"> & { readonly error?: RecordedError };

/** An event that a reconcile recorded, without its note. */
export interface RecordedEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
}

/**
 * Result of a reconcile: `"done"`; `"later"`: done, with a requeue after a delay; `"again"`: retried after a version conflict; `"broken-off"`:
 * aborted because its term ended; `"failed"`; `"terminal"`: failed and not retried; `"stuck"`: still running after its signal aborted.
 */
export type RecordedResult = "done" | "later" | "again" | "broken-off" | "failed" | "terminal" | "stuck";

/** A record of one reconcile in the history. It contains names, numbers and times, but no values of objects. */
export interface ReconcileRecord {
  /** ID of the reconcile in logs, spans and the audit log. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** The events that triggered the reconcile. */
  readonly why: readonly string[];
  /** Milliseconds that the key was ready before a worker took it. */
  readonly waitedMs: number;
  /** Number of the attempt, from 1; reset by a success. */
  readonly attempt: number;
  /** Generation and resource version of the object when the reconcile started; undefined when it did not exist. */
  readonly generation?: number | undefined;
  readonly resourceVersion?: string | undefined;
  readonly writes: readonly RecordedWrite[];
  /** Number of further writes that were dropped because of the size limit. */
  readonly writesOmitted: number;
  readonly events: readonly RecordedEvent[];
  readonly result: RecordedResult;
  readonly error?: RecordedError | undefined;
  /** Time of the next reconcile, in milliseconds since 1970; undefined when the object waits for an event. */
  readonly nextReconcileAt?: number | undefined;
}

const messageLengthMax = 512;

/**
 * Returns the part of an error that may be kept in memory and shown on the debug page.
 *
 * The API server quotes values of an invalid object in its message. Of such a response, only the request and the field names are kept.
 */
export function recordedError(error: unknown): RecordedError {
  if (error instanceof ApiError) {
    const { code, status, reason, request, causes } = error;
    const fields = [...new Set(causes.flatMap(({ field }) => (field === undefined || field === "" ? [] : [field])))];
    const requestText = request === undefined ? "" : ` on ${request.method} ${request.path}`;
    const fieldsText = fields.length === 0 ? "" : `: ${fields.slice(0, 10).join(", ")}`;
    return { code, message: cutText(`${status} ${reason}${requestText}${fieldsText}`, messageLengthMax) };
  }
  const message = error instanceof Error ? error.message : typeof error === "string" ? error : typeof error;
  return { code: codeOf(error), message: cutText(message, messageLengthMax) };
}

function codeOf(error: unknown): string {
  const code = isRecord(error) ? ownValue(error, "code") : undefined;
  if (typeof code === "string") return code;
  return error instanceof Error ? error.name : "UNKNOWN";
}
