/** One parsed response of `/stats/requests`. A field that Locust did not send is absent. */
export interface Snapshot {
  /** When it was taken, in milliseconds since 1970. */
  readonly at: number;
  /** Locust's state: `ready`, `spawning`, `running`, `cleanup`, `stopping`, `stopped` or `missing`. */
  readonly state: string;
  readonly userCount: number;
  /** Connected workers: `worker_count`, or the entries of `workers` that are ready, spawning or running. */
  readonly workerCount?: number | undefined;
  readonly workers?: SnapshotWorkers | undefined;
  readonly currentRps?: number | undefined;
  readonly totalRps?: number | undefined;
  readonly currentFailuresPerSecond?: number | undefined;
  readonly failRatio?: number | undefined;
  readonly currentP50?: number | undefined;
  readonly currentP95?: number | undefined;
  /** One row per request name and method, and the row `Aggregated`. */
  readonly rows: readonly SnapshotRow[];
  readonly errors: readonly SnapshotError[];
}

/** Number of workers by state. */
export interface SnapshotWorkers {
  readonly ready: number;
  readonly spawning: number;
  readonly running: number;
  readonly missing: number;
  readonly maxCpuPercent?: number | undefined;
}

/** One row of the request statistics. Times are in milliseconds. */
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

export interface SnapshotError {
  readonly method: string;
  readonly name: string;
  readonly error: string;
  readonly occurrences: number;
}

/** The CSV files of a run. */
export interface ResultFiles {
  readonly requestsCsv: string;
  readonly failuresCsv: string;
  readonly exceptionsCsv: string;
}

/** Locust's name for the row of all requests together. */
export const totalName = "Aggregated";

/** Returns the row of all requests together. A user's request of the same name has a method. */
export function totalOf({ rows }: Pick<Snapshot, "rows">): SnapshotRow | undefined {
  return rows.findLast(({ name, method }) => name === totalName && method === "");
}

/**
 * Reports whether a run has ended; `begunAt` is when users were first seen, if they were.
 *
 * Locust also reports `stopped` before any worker is connected. If the operator has not seen the run, requests prove that it took place.
 */
export function hasEnded(snapshot: Snapshot, begunAt: number | undefined): boolean {
  return snapshot.state === "stopped" && (begunAt !== undefined || (totalOf(snapshot)?.requests ?? 0) > 0);
}
