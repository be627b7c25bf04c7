import type { Reason } from "../api/locust-test.ts";
import { hasEnded, type Snapshot } from "./snapshot.ts";

/** The state of polling one master. */
export interface LiveView {
  /** Reason and message of the condition `LiveStats`. */
  readonly reason: Reason<"LiveStats">;
  readonly message: string;
  readonly snapshot: Snapshot | undefined;
  /** True if the snapshot is younger than three intervals. */
  readonly isFresh: boolean;
  /** True if the run has ended and its statistics no longer change. */
  readonly isFinal: boolean;
  readonly peakUsers: number;
  /** Connected workers, or their number at the end of the run; undefined when the master does not report it. */
  readonly workers: number | undefined;
  /** Time of the first snapshot in which the run was spawning or running, in milliseconds since 1970. */
  readonly startedAt: number | undefined;
}

/** A running master to poll. */
export interface LiveTarget {
  readonly key: string;
  /** The uid of the LocustTest. Another uid or run starts without any state. */
  readonly uid: string;
  readonly run: number;
  readonly intervalSeconds: number;
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string; readonly ip: string };
  /** Arguments and environment of the Locust container in the master Job; the spec may have changed since. */
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string | undefined }[];
}

/**
 * Returns the number of connected workers; undefined when the master does not report it.
 *
 * Workers disconnect after the end of the run, so the largest number counts. An operator that started later knows it only from
 * the status (`stored`).
 */
export function connectedWorkers(view: LiveView | undefined, stored: number | undefined): number | undefined {
  if (view?.snapshot === undefined || view.workers === undefined) return undefined;
  return hasEnded(view.snapshot, view.startedAt) ? Math.max(view.workers, stored ?? 0) : view.workers;
}

export function missingWorkers(connected: number | undefined, expected: number): number | undefined {
  return connected === undefined ? undefined : Math.max(0, expected - connected);
}
