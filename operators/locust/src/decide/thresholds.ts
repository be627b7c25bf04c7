import { formatTime, tryParseTime } from "@homeostat/core";
import type { BrokenThreshold, Metric, Threshold, ThresholdResult } from "../api/locust-test.ts";
import type { LiveView } from "../live/live-view.ts";
import { type Snapshot, type SnapshotRow, totalName, totalOf } from "../live/snapshot.ts";
import { isFuture } from "../api/status-values.ts";

/** Evaluates one threshold; `missing` is the number of missing workers, if it is known. */
export function evaluateThreshold(
  threshold: Threshold,
  snapshot: Snapshot,
  missing: number | undefined,
): ThresholdResult {
  if (threshold.metric === "missingWorkers") return compare(threshold, missing);
  // A name may have several methods: the first that breaks the threshold counts.
  const results = rowsFor(threshold, snapshot).map((row) => evaluateRow(threshold, row, snapshot));
  return results.find(({ passed }) => !passed) ?? results[0] ?? withoutRow(threshold, snapshot);
}

/** Describes a broken threshold: `failRatio of Aggregated is 0.12, limit is max 0.01`. */
export function describeBroken({ metric, name, method, actual, limit, message }: ThresholdResult): string {
  const row = [method, name].filter((part) => part !== undefined && part !== "").join(" ");
  const value = actual === undefined ? "is unknown" : `is ${actual}`;
  const more = message === undefined ? "" : ` (${message})`;
  return `${metric}${row === "" ? "" : ` of ${row}`} ${value}, limit is ${limit}${more}`;
}

/** Describes the limits of a threshold: `min 10, max 500`. */
export function limitText({ min, max }: Pick<Threshold, "min" | "max">): string {
  return [...(min === undefined ? [] : [`min ${min}`]), ...(max === undefined ? [] : [`max ${max}`])].join(", ");
}

export interface AbortInput {
  readonly thresholds: readonly Threshold[];
  readonly missing: number | undefined;
  readonly view: LiveView | undefined;
  /** The broken thresholds in the status, so that a restarted operator continues counting. */
  readonly broken: readonly BrokenThreshold[];
}

export interface Abort {
  readonly hit: ThresholdResult | undefined;
  readonly broken: readonly BrokenThreshold[];
}

/**
 * Decides whether a threshold with `abortOnFail` stops the run.
 *
 * A threshold that is broken in two snapshots counts as broken between them. Times are rounded up to whole seconds, so that a run
 * is never stopped before `holdSeconds` have passed.
 */
export function checkAborts({ thresholds, missing, view, broken }: AbortInput): Abort {
  const snapshot = view?.snapshot;
  const isRunning = snapshot?.state === "running" || snapshot?.state === "spawning";
  if (!isRunning || !view?.isFresh || view.startedAt === undefined) return { hit: undefined, broken };
  const still = new Map<string, BrokenThreshold>();
  let hit: ThresholdResult | undefined;
  for (const threshold of thresholds) {
    if (!threshold.abortOnFail) continue;
    const result = evaluateThreshold(threshold, snapshot, missing);
    if (result.passed) continue;
    if (threshold.holdSeconds === 0) {
      hit ??= result;
      continue;
    }
    const name = nameOf(threshold);
    const known = broken.find((each) => each.threshold === name);
    const recorded = tryParseTime(known?.since);
    // If the API server's clock was set back, the hold period restarts.
    const isUsable = recorded !== undefined && !isFuture(recorded, snapshot.at);
    const since = isUsable ? recorded : Math.ceil(snapshot.at / 1_000) * 1_000;
    still.set(name, { threshold: name, since: formatTime(since) });
    if (snapshot.at - since >= threshold.holdSeconds * 1_000) hit ??= result;
  }
  return { hit, broken: [...still.values()] };
}

/** Returns a name for a threshold that does not depend on its index in the list. */
function nameOf(threshold: Threshold): string {
  const { metric, name, method } = threshold;
  const row = metric === "missingWorkers" ? "" : ` of ${[method, name].filter((part) => part !== undefined).join(" ")}`;
  return `${metric}${row}, ${limitText(threshold)}`;
}

function rowsFor({ name, method }: Threshold, snapshot: Snapshot): readonly SnapshotRow[] {
  if (name === totalName && method === undefined) {
    const total = totalOf(snapshot);
    return total === undefined ? [] : [total];
  }
  return snapshot.rows.filter((row) => row.name === name && (method === undefined || row.method === method));
}

function withoutRow(threshold: Threshold, { rows }: Snapshot): ThresholdResult {
  const which = [threshold.method, threshold.name].filter((part) => part !== undefined).join(" ");
  const message = `no request ${which} in the statistics (${rows.length} rows)`;
  // Without a request, a minimum counts as violated and a maximum as kept.
  return { ...outline(threshold), passed: threshold.min === undefined, message };
}

function evaluateRow(threshold: Threshold, row: SnapshotRow, snapshot: Snapshot): ThresholdResult {
  const actual = valueOf(threshold.metric, row, snapshot);
  if (row.requests < threshold.minRequests) {
    const message = `not evaluated: ${row.requests} of ${threshold.minRequests} requests`;
    return { ...outline(threshold, row), ...(actual !== undefined && { actual }), passed: true, message };
  }
  if (actual === undefined && row.requests === 0) {
    return { ...outline(threshold, row), passed: threshold.min === undefined, message: "no requests were made" };
  }
  return compare(threshold, actual, row);
}

function compare(threshold: Threshold, actual: number | undefined, row?: SnapshotRow): ThresholdResult {
  const result = outline(threshold, row);
  // A threshold that cannot be evaluated must not count as passed.
  if (actual === undefined) return { ...result, passed: false, message: "not reported by this version of Locust" };
  const { min = -Infinity, max = Infinity } = threshold;
  return { ...result, actual, passed: actual >= min && actual <= max };
}

function outline(threshold: Threshold, row?: SnapshotRow): Pick<ThresholdResult, "metric" | "name" | "limit"> {
  const { metric, name } = threshold;
  const method = threshold.method ?? row?.method ?? "";
  const limit = limitText(threshold);
  return metric === "missingWorkers" ? { metric, limit } : { metric, name, ...(method !== "" && { method }), limit };
}

/** The metrics that are a column of a row. */
const columns = {
  averageResponseTime: "average",
  medianResponseTime: "median",
  p95ResponseTime: "p95",
  p99ResponseTime: "p99",
  maxResponseTime: "max",
  requestsPerSecond: "requestsPerSecond",
  failuresPerSecond: "failuresPerSecond",
  totalRequests: "requests",
  failedRequests: "failures",
} as const satisfies Readonly<Record<Exclude<Metric, "failRatio" | "missingWorkers">, keyof SnapshotRow>>;

function valueOf(metric: Metric, row: SnapshotRow, snapshot: Snapshot): number | undefined {
  const isTotal = row === totalOf(snapshot);
  if (metric === "missingWorkers") return undefined;
  if (metric === "failRatio") {
    if (isTotal && snapshot.failRatio !== undefined) return snapshot.failRatio;
    return row.requests === 0 ? 0 : row.failures / row.requests;
  }
  if (metric === "requestsPerSecond" && isTotal && snapshot.totalRps !== undefined) return snapshot.totalRps;
  return row[columns[metric]];
}
