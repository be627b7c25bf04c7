import { ApiError, cutText, isRecord, ownValue } from "@homeostat/core";
import type { WriteNote } from "../writes/journal.ts";

/** An error without its stack and without anything that may come from an object. */
export interface FlightError {
  readonly code: string;
  readonly message: string;
}

/** One write of a run. */
export type FlightWrite = Omit<WriteNote, "error"> & { readonly error?: FlightError };

/** An event that a run recorded, without its note. */
export interface FlightEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
}

/** How a run ended. */
export type FlightResult = "done" | "later" | "again" | "broken-off" | "failed" | "terminal" | "stuck";

/** One run of a reconciler, as it is remembered: names, numbers and times, but no values of objects. */
export interface Flight {
  /** The id of the run in logs, spans and the audit log. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** What led to it. */
  readonly why: readonly string[];
  /** How long it was ready before a worker took it. */
  readonly waitedMs: number;
  readonly attempt: number;
  /** The generation and version of the object as the run saw it; absent when there was none. */
  readonly generation?: number | undefined;
  readonly resourceVersion?: string | undefined;
  readonly writes: readonly FlightWrite[];
  /** How many more writes there were than are kept. */
  readonly writesOmitted: number;
  readonly events: readonly FlightEvent[];
  readonly result: FlightResult;
  readonly error?: FlightError | undefined;
  /** When the next run is due, in milliseconds since 1970; absent when only a change leads to one. */
  readonly nextRunAt?: number | undefined;
}

const messageLengthMax = 512;

/**
 * An error as it may be remembered.
 *
 * What an API server says about an invalid object quotes its values: of such an answer only the request and the names of
 * the fields are kept.
 */
export function flightError(error: unknown): FlightError {
  if (error instanceof ApiError) {
    const { code, status, reason, request, causes } = error;
    const fields = [...new Set(causes.flatMap(({ field }) => (field === undefined || field === "" ? [] : [field])))];
    const place = request === undefined ? "" : ` on ${request.method} ${request.path}`;
    const about = fields.length === 0 ? "" : `: ${fields.slice(0, 10).join(", ")}`;
    return { code, message: cutText(`${status} ${reason}${place}${about}`, messageLengthMax) };
  }
  const message = error instanceof Error ? error.message : typeof error === "string" ? error : typeof error;
  return { code: codeOf(error), message: cutText(message, messageLengthMax) };
}

function codeOf(error: unknown): string {
  const code = isRecord(error) ? ownValue(error, "code") : undefined;
  if (typeof code === "string") return code;
  return error instanceof Error ? error.name : "UNKNOWN";
}
