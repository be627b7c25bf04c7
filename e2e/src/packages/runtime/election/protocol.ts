// Messages between a test and its candidates, over the IPC channel of child processes.

/** Options of a candidate: the JSON in its only argument. */
export interface CandidateOptions {
  readonly kubeconfig: string;
  /** URL to use instead of the server in the kubeconfig: a proxy of the test. */
  readonly server: string;
  readonly identity: string;
  readonly namespace: string;
  /** Interval of writes while it leads. */
  readonly writeEveryMs: number;
  /** Number of connections that it opens at the start of a term, by as many concurrent writes. */
  readonly connections: number;
  /** Maximum number of writes in flight; the others are queued in the process. */
  readonly requestsMax: number;
  /** False disables the fence, to check that the test detects late writes. */
  readonly isFenced: boolean;
}

/** Message to a candidate: start this many writes at once and, when the first is stored, suspend the process as by SIGSTOP. */
export interface SuspendDuringWrites {
  readonly writes: number;
}

/** One term. Times are those of the machine's monotonic clock, equal in all processes. */
export interface TermReport {
  readonly epoch: number;
  readonly beganMs: number;
  /** Time at which the fence last let a write pass. */
  lastAllowedMs: number;
  endedMs?: number;
  why?: string;
}

/** State of a candidate, sent on every change and periodically. */
export interface Report {
  readonly at: "stopped" | "standing-by" | "waiting-out" | "leading" | "stepping-down";
  /** Observed holder of the Lease. */
  readonly holder?: string;
  readonly terms: readonly TermReport[];
  /** Writes that were acknowledged. */
  readonly stored: number;
  /** Writes that the fence rejected. */
  readonly fenced: number;
  /** Writes that failed for other reasons. */
  readonly failed: number;
}

/** Durations of the elections: short, with a gap of one second for writes in flight. */
export const durations = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 500 } as const;

/** Gap between the last write of one leader and the first write of the next, in which writes in flight must arrive. */
export const writeGapMs = durations.leaseDurationMs - durations.renewDeadlineMs;

/** Returns the monotonic time of the machine, equal in all processes; `performance.now` starts at 0 in each. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
