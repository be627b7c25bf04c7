import type { ControllerSource } from "@homeostat/runtime";

/** What one answer of `/stats/requests` says, read and checked. A field that Locust did not send is absent. */
export interface Snapshot {
  /** When it was taken, in milliseconds since 1970. */
  readonly at: number;
  /** `ready`, `spawning`, `running`, `cleanup`, `stopping`, `stopped` or `missing`, as Locust calls it. */
  readonly state: string;
  readonly userCount: number;
  /** How many workers the master counts: `worker_count`, or those in `workers` that are ready, spawning or running. */
  readonly workerCount?: number | undefined;
  readonly workers?: WorkerStates | undefined;
  readonly currentRps?: number | undefined;
  readonly totalRps?: number | undefined;
  readonly currentFailuresPerSecond?: number | undefined;
  readonly failRatio?: number | undefined;
  readonly currentP50?: number | undefined;
  readonly currentP95?: number | undefined;
  /** The rows of the table, the one named `Aggregated` among them. */
  readonly rows: readonly SnapshotRow[];
  readonly errors: readonly SnapshotError[];
}

/** How many workers are in which state. */
export interface WorkerStates {
  readonly ready: number;
  readonly spawning: number;
  readonly running: number;
  readonly missing: number;
  readonly maxCpuPercent?: number | undefined;
}

/** One row of the table of requests. Times are in milliseconds. */
export interface SnapshotRow {
  readonly method: string;
  readonly name: string;
  readonly requests: number;
  readonly failures: number;
  readonly average?: number | undefined;
  readonly median?: number | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly p95?: number | undefined;
  readonly p99?: number | undefined;
  readonly requestsPerSecond?: number | undefined;
  readonly failuresPerSecond?: number | undefined;
}

/** One kind of failure, and how often it happened. */
export interface SnapshotError {
  readonly method: string;
  readonly name: string;
  readonly error: string;
  readonly occurrences: number;
}

/** Why there are live numbers, or why there are none: the reason of the condition `LiveStats`. */
export type LiveReason =
  | "Streaming"
  | "WaitingForMaster"
  | "WebUIDisabled"
  | "AuthRequired"
  | "Unreachable"
  | "Disabled";

/** What is known from the master of a test, now. */
export interface LiveView {
  readonly reason: LiveReason;
  /** The message of the condition `LiveStats`. */
  readonly message: string;
  /** The newest snapshot of this run; undefined when none was ever taken. */
  readonly snapshot: Snapshot | undefined;
  /** Whether the snapshot is younger than three intervals. */
  readonly isFresh: boolean;
  /** Whether the snapshot is final: the run is over and its numbers stand still (21.3). */
  readonly isFinal: boolean;
  /** The most users that were seen. */
  readonly peakUsers: number;
  /** How many workers the run has, or had when it ended; undefined when the master does not tell. */
  readonly workers: number | undefined;
  /** When the run was first seen spawning or running, in milliseconds since 1970; undefined when it never was. */
  readonly begunAt: number | undefined;
}

/** A test whose master is up, as the poller needs to know it. */
export interface LiveTarget {
  /** `namespace/name` of the LocustTest. */
  readonly key: string;
  /** The uid of the LocustTest and the number of its run: another run begins with nothing known. */
  readonly uid: string;
  readonly run: number;
  readonly intervalSeconds: number;
  /** The master pod, whose Locust container is running. */
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string; readonly ip: string };
  /** Arguments and plain environment of the Locust container as the master Job has them: the spec may have changed since. */
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string | undefined }[];
}

/** What can be downloaded from a master at the end of a run (21.9). */
export interface ResultFiles {
  readonly requestsCsv: string;
  readonly failuresCsv: string;
  readonly exceptionsCsv: string;
}

/**
 * Follows the masters of running tests by their web API. One per process; works while this process leads.
 *
 * The reconciler calls `track` in every pass over a test whose master is up, and `forget` when there is nothing left to
 * follow. Whatever changes in a `view` leads to another pass, by `source`.
 */
export interface LiveStats {
  /** Follows the master of a test from now on. Doing so again changes nothing, unless the pod or the run is another. */
  track(target: LiveTarget): void;
  /** Ends that, and forgets what was known. */
  forget(key: string): void;
  /** What is known; undefined for a test that is not followed. */
  view(key: string): LiveView | undefined;
  /** Asks the master to stop the users. Resolves when that was sent, answered or not; rejects when it could not be sent. */
  stop(key: string, signal: AbortSignal): Promise<void>;
  /** Downloads the tables of the run; undefined when the master does not give them. */
  files(key: string, signal: AbortSignal): Promise<ResultFiles | undefined>;
  /** The keys of tests of which something new is known. */
  readonly source: ControllerSource<string>;
}
