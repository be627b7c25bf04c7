// What a test and the candidates it starts say to each other, over the channel between parent and child.

/** What a candidate is started with: the JSON text of its only argument. */
export interface CandidateOptions {
  readonly kubeconfig: string;
  /** Where to go instead of the server that the kubeconfig names: a proxy of the test. */
  readonly server: string;
  readonly identity: string;
  readonly namespace: string;
  /** How often it writes while it leads. */
  readonly writeEveryMs: number;
  /** How many connections it opens at the start of a term, by so many writes at once. */
  readonly connections: number;
  /** How many of its writes may be under way at once; the others wait inside the process. */
  readonly requestsMax: number;
  /** False plants the mistake: its writes ask nobody. */
  readonly isFenced: boolean;
}

/** What a test tells a candidate: start so many writes at once and, when the first is stored, stop as by SIGSTOP. */
export interface StopAmidWrites {
  readonly writes: number;
}

/** One time of leading. Moments are those of the machine's monotonic clock, the same for all processes. */
export interface TermReport {
  readonly epoch: number;
  readonly beganMs: number;
  /** When the fence last let a write pass. */
  lastAllowedMs: number;
  endedMs?: number;
  why?: string;
}

/** Where a candidate stands: sent at every change and at short intervals. */
export interface Report {
  readonly at: "stopped" | "standing-by" | "waiting-out" | "leading" | "stepping-down";
  /** Who holds the Lease, where it knows. */
  readonly holder?: string;
  readonly terms: readonly TermReport[];
  /** Writes that were answered as stored. */
  readonly stored: number;
  /** Writes that the fence held back. */
  readonly fenced: number;
  /** Writes that failed otherwise. */
  readonly failed: number;
}

/** The durations of every election here: short, and with a second of room for writes under way. */
export const durations = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 500 } as const;

/** The room between the last write of one leader and the first of the next: what is under way must arrive in it. */
export const roomMs = durations.leaseDurationMs - durations.renewDeadlineMs;

/** The monotonic clock of the machine, which all its processes read alike; `performance.now` begins anew in each. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
