import { ApiError, cutText, isRecord, ownValue } from "@homeostat/core";
import type { WriteNote } from "../writes/journal.ts";

/** An error without stack and without values of objects, which may be secret. */
export interface RecordedError {
  readonly code: string;
  readonly message: string;
}

/** One write of a reconcile. */
export type RecordedWrite = Omit<WriteNote, "error"> & { readonly error?: RecordedError };

/** Reads of one kind by a reconcile, with one verb and from one source. */
export interface RecordedRead {
  readonly verb: "get" | "list";
  /** Resource with its subresource: `deployments.apps`, `pods/log`. */
  readonly resource: string;
  /** `live`: by requests to the API server. */
  readonly source: "cache" | "live";
  /** The first different keys or selections: `shop/web`, `all in shop with app=web`, `owned objects`. */
  readonly of: readonly string[];
  /** Number of reads. */
  readonly reads: number;
  /** Number of objects that they found. */
  readonly objects: number;
  /** Time of the requests; undefined for reads from the cache. */
  readonly ms?: number | undefined;
  /** Number of failed requests; undefined if there was none. */
  readonly failures?: number | undefined;
}

/** A step of a reconcile: a call of `step` of its context. */
export interface RecordedStep {
  readonly name: string;
  readonly ms: number;
}

/** A decision of a reconcile. It contains names and numbers, but no values of objects. */
export interface RecordedDecision {
  /** `condition Ready`, `gate of ingest`. */
  readonly about: string;
  /** `False, RolloutInProgress`; `closed by maintenanceWindowIsOpen`. */
  readonly result: string;
}

/** A change of a live object by another client that a reconcile reverted. It contains names, but no values. */
export interface RecordedDrift {
  /** `Deployment default/web` */
  readonly object: string;
  /** Paths of the reverted fields: `spec.replicas`. Empty when the object was deleted. */
  readonly fields: readonly string[];
  /** Field managers that had changed them; empty when they are unknown. */
  readonly managers: readonly string[];
  /** True if the whole object was deleted. */
  readonly wasDeleted: boolean;
}

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
  /** Reads per kind, verb and source. Undefined if the program serves no page `/why`. */
  readonly reads?: readonly RecordedRead[] | undefined;
  /** Number of further reads that were dropped because of the size limit; undefined if there were none. */
  readonly readsOmitted?: number | undefined;
  /** Steps in the order in which they ended; undefined if there were none, or the program serves no page `/why`. */
  readonly steps?: readonly RecordedStep[] | undefined;
  /** Decisions: changes of conditions, results of managed sets, and what the reconciler has recorded. Undefined if there were none, or the program serves no page `/why`. */
  readonly decisions?: readonly RecordedDecision[] | undefined;
  /** Corrected drift; undefined if there was none. */
  readonly drifts?: readonly RecordedDrift[] | undefined;
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
