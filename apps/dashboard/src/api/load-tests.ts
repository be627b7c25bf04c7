// Values about load tests that the server sends to the page as JSON.

/**
 * Names of the values of a point, in their order. `at` is in milliseconds since 1970. Rates, `p50` and `p95` are those of the last seconds; `failPercent`, `p99`
 * and the counts are those of the whole run, because Locust reports no others. Response times are in milliseconds.
 */
export const pointColumns = [
  "at",
  "users",
  "requestsPerSecond",
  "failuresPerSecond",
  "failPercent",
  "p50",
  "p95",
  "p99",
  "requests",
  "failures",
] as const;

/** Name of a value of a point. */
export type PointColumn = (typeof pointColumns)[number];

/** Statistics at one time, in the order of {@link pointColumns}. A missing value is null. */
export type LoadPoint = readonly (number | null)[];

/** A test, and one of its runs; undefined for the latest. */
export interface RunRef {
  readonly namespace: string;
  readonly name: string;
  readonly run?: number | undefined;
}

/** Results of a run. Values that are not known are missing. Response times are in milliseconds. */
export interface RunTotals {
  readonly requests?: number | undefined;
  readonly failures?: number | undefined;
  readonly failRatio?: number | undefined;
  readonly requestsPerSecond?: number | undefined;
  readonly average?: number | undefined;
  readonly median?: number | undefined;
  readonly p95?: number | undefined;
  readonly p99?: number | undefined;
  readonly max?: number | undefined;
  readonly peakUsers?: number | undefined;
}

/** A run of a test in the list of its runs. */
export interface RunRow {
  readonly run: number;
  readonly phase: string;
  /** Empty while the run has none. */
  readonly outcome: string;
  /** RFC 3339; empty if unknown. */
  readonly startTime: string;
  readonly completionTime: string;
  readonly totals: RunTotals;
}

/** A limit of a metric. */
export interface ThresholdView {
  readonly metric: string;
  /** Name of the request; `Aggregated` for all of them. */
  readonly name: string;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly actual?: number | undefined;
  /** Undefined while the run has no result. */
  readonly passed?: boolean | undefined;
  readonly message: string;
}

/** A run that is shown: the statistics of its status. */
export interface LoadTestView extends RunRow {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Message about the verdict; empty if there is none. */
  readonly verdict: string;
  readonly targetUsers?: number | undefined;
  /** Elapsed share of the run time in percent. */
  readonly percent?: number | undefined;
  /** Thresholds of the latest run. Empty for an earlier run, because the spec may have changed since. */
  readonly thresholds: readonly ThresholdView[];
  /** All known runs of the test, the latest first. */
  readonly runs: readonly RunRow[];
  /** Source of the points: the operator process, the stored results, the status while the page was open, or none. */
  readonly source: "operator" | "results" | "status" | "none";
  /** Explanation of missing points; empty if there is none. */
  readonly note: string;
}

/** A change of a shown run. The first message about a run has all of it. */
export interface LoadTestChange {
  /** Position of the run in the request. */
  readonly index: number;
  /** Null if the test does not exist. Missing if it has not changed. */
  readonly test?: LoadTestView | null | undefined;
  readonly points?: readonly LoadPoint[] | undefined;
  /** True if the points follow the known ones; otherwise they replace them. */
  readonly isAppended?: boolean | undefined;
}

/** A message of the view of load tests. */
export interface LoadTestsMessage {
  readonly changes: readonly LoadTestChange[];
  /** Tests that can be compared. Missing if they have not changed. */
  readonly candidates?: readonly RunRef[] | undefined;
}
