import type { Metric, Threshold, ThresholdResult } from "../api/locust-test.ts";
import type { Snapshot, SnapshotRow } from "../live/live-stats.ts";
import { totalName, totalOf } from "../live/rows.ts";

/** Judges every threshold by one snapshot and the number of missing workers, if that is known (21.4). */
export function judgeThresholds(
  thresholds: readonly Threshold[],
  snapshot: Snapshot,
  missing: number | undefined,
): ThresholdResult[] {
  return thresholds.map((threshold) => judge(threshold, snapshot, missing));
}

/** Judges one threshold by one snapshot and the number of missing workers. */
export function judge(threshold: Threshold, snapshot: Snapshot, missing: number | undefined): ThresholdResult {
  if (threshold.metric === "missingWorkers") return verdictOn(threshold, missing);
  const rows = rowsOf(threshold, snapshot);
  if (rows.length === 0) return withoutRow(threshold, snapshot);
  // A name may stand for several methods: the worst of them counts.
  const results = rows.map((row) => judgeRow(threshold, row, snapshot));
  const [first = withoutRow(threshold, snapshot)] = results;
  return results.find(({ passed }) => !passed) ?? first;
}

/** What is asked for, as a text: `max 500`. */
export function limitText({ min, max }: Pick<Threshold, "min" | "max">): string {
  const parts = [...(min === undefined ? [] : [`min ${min}`]), ...(max === undefined ? [] : [`max ${max}`])];
  return parts.join(", ");
}

/** One line about a broken threshold: `failRatio of Aggregated is 0.12, asked for max 0.01`. */
export function brokenText({ metric, name, method, actual, limit, message }: ThresholdResult): string {
  const what = [method, name].filter((part) => part !== undefined && part !== "").join(" ");
  const value = actual === undefined ? "is unknown" : `is ${actual}`;
  const more = message === undefined ? "" : ` (${message})`;
  return `${metric}${what === "" ? "" : ` of ${what}`} ${value}, asked for ${limit}${more}`;
}

function rowsOf({ name, method }: Threshold, snapshot: Snapshot): readonly SnapshotRow[] {
  if (name === totalName && method === undefined) {
    const total = totalOf(snapshot);
    return total === undefined ? [] : [total];
  }
  return snapshot.rows.filter((row) => row.name === name && (method === undefined || row.method === method));
}

function withoutRow(threshold: Threshold, { rows }: Snapshot): ThresholdResult {
  const which = [threshold.method, threshold.name].filter((part) => part !== undefined).join(" ");
  const message = `there was no request ${which} among ${rows.length} rows`;
  // A rate of nothing is too low for a lower limit, and never too high.
  return { ...outlineOf(threshold), passed: threshold.min === undefined, message };
}

function judgeRow(threshold: Threshold, row: SnapshotRow, snapshot: Snapshot): ThresholdResult {
  const actual = valueOf(threshold.metric, row, snapshot);
  if (row.requests < threshold.minRequests) {
    const message = `not judged: ${row.requests} of ${threshold.minRequests} requests`;
    return { ...outlineOf(threshold, row), ...(actual === undefined ? {} : { actual }), passed: true, message };
  }
  if (actual === undefined && row.requests === 0)
    return { ...outlineOf(threshold, row), passed: threshold.min === undefined, message: "there were no requests" };
  return verdictOn(threshold, actual, row);
}

function verdictOn(threshold: Threshold, actual: number | undefined, row?: SnapshotRow): ThresholdResult {
  const outline = outlineOf(threshold, row);
  // Nobody may take a threshold for kept that could not be judged.
  if (actual === undefined) return { ...outline, passed: false, message: "this version of Locust does not tell it" };
  const { min = -Infinity, max = Infinity } = threshold;
  return { ...outline, actual, passed: actual >= min && actual <= max };
}

function outlineOf(threshold: Threshold, row?: SnapshotRow): Pick<ThresholdResult, "metric" | "name" | "limit"> {
  const { metric, name } = threshold;
  const method = threshold.method ?? row?.method ?? "";
  if (metric === "missingWorkers") return { metric, limit: limitText(threshold) };
  return { metric, name, ...(method === "" ? {} : { method }), limit: limitText(threshold) };
}

function valueOf(metric: Metric, row: SnapshotRow, snapshot: Snapshot): number | undefined {
  const isTotal = row === totalOf(snapshot);
  switch (metric) {
    case "failRatio":
      if (isTotal && snapshot.failRatio !== undefined) return snapshot.failRatio;
      return row.requests === 0 ? 0 : row.failures / row.requests;
    case "averageResponseTime":
      return row.average;
    case "medianResponseTime":
      return row.median;
    case "p95ResponseTime":
      return row.p95;
    case "p99ResponseTime":
      return row.p99;
    case "maxResponseTime":
      return row.max;
    case "requestsPerSecond":
      return isTotal ? (snapshot.totalRps ?? row.requestsPerSecond) : row.requestsPerSecond;
    case "failuresPerSecond":
      return row.failuresPerSecond;
    case "totalRequests":
      return row.requests;
    case "failedRequests":
      return row.failures;
    case "missingWorkers":
      return undefined;
  }
}
