import { type DeepReadonly, isRecord, type KubeObject } from "@homeostat/core";
import type { LoadTestView, RunRow, RunTotals, ThresholdView } from "../api/load-tests.ts";
import { listIn, numberIn, recordIn, textIn } from "../health/fields.ts";
import { conditionsIn } from "../health/object-health.ts";

/** Group and kind of load tests. */
export const locustTest = { group: "locust.io", kind: "LocustTest" } as const;

/** Returns the number of the latest run of a test. */
export function latestRun(test: DeepReadonly<KubeObject>): number {
  return numberIn(recordIn(test, "status"), "run") ?? 1;
}

/** Returns all known runs of a test, the latest first. */
export function runsOf(test: DeepReadonly<KubeObject>): RunRow[] {
  const status = recordIn(test, "status");
  const latest: RunRow = { ...rowOf(status), run: latestRun(test), ...resultOf(recordIn(status, "result")) };
  const earlier = listIn(status, "history").map((past) => ({
    ...rowOf(past),
    outcome: textIn(past, "outcome"),
    totals: {
      requests: numberIn(past, "totalRequests"),
      failRatio: numberIn(past, "failRatio"),
      p95: numberIn(past, "p95ResponseTime"),
    },
  }));
  return [latest, ...earlier];
}

/** Returns what the status of a test says about one of its runs; undefined for a run that is not known. */
export function readTest(
  test: DeepReadonly<KubeObject>,
  run: number,
): Omit<LoadTestView, "source" | "note"> | undefined {
  const runs = runsOf(test);
  const row = runs.find((one) => one.run === run);
  if (row === undefined) return undefined;
  const { namespace = "", name = "", uid = "" } = test.metadata;
  const status = recordIn(test, "status");
  const isLatest = run === latestRun(test);
  const progress = isLatest ? recordIn(status, "progress") : undefined;
  const completed = conditionsIn(status).find(({ type }) => type === "TestCompleted");
  return {
    namespace,
    name,
    uid,
    ...row,
    verdict: isLatest ? (completed?.message ?? "") : "",
    targetUsers: numberIn(progress, "targetUsers"),
    percent: numberIn(progress, "percent"),
    thresholds: isLatest ? thresholdsOf(test) : [],
    runs,
  };
}

/** Returns the point of the present values in the status; undefined if there are none. */
export function statusPoint(test: DeepReadonly<KubeObject>): readonly (number | null)[] | undefined {
  const progress = recordIn(recordIn(test, "status"), "progress");
  const at = Date.parse(textIn(progress, "lastUpdated"));
  const users = numberIn(progress, "currentUsers");
  if (Number.isNaN(at) || users === undefined || textIn(progress, "state") === "WaitingForWorkers") return undefined;
  const value = (name: string): number | null => numberIn(progress, name) ?? null;
  const rates = [value("requestsPerSecond"), value("failuresPerSecond"), value("failPercent")];
  return [at, users, ...rates, value("p50"), value("p95"), null, null, null];
}

function rowOf(value: unknown): RunRow {
  return {
    run: numberIn(value, "run") ?? 1,
    phase: textIn(value, "phase"),
    outcome: "",
    startTime: textIn(value, "startTime"),
    completionTime: textIn(value, "completionTime"),
    totals: {},
  };
}

function resultOf(result: unknown): { readonly outcome: string; readonly totals: RunTotals } {
  return {
    outcome: textIn(result, "outcome"),
    totals: {
      requests: numberIn(result, "totalRequests"),
      failures: numberIn(result, "failedRequests"),
      failRatio: numberIn(result, "failRatio"),
      requestsPerSecond: numberIn(result, "requestsPerSecond"),
      average: numberIn(result, "averageResponseTime"),
      median: numberIn(result, "medianResponseTime"),
      p95: numberIn(result, "p95ResponseTime"),
      p99: numberIn(result, "p99ResponseTime"),
      max: numberIn(result, "maxResponseTime"),
      peakUsers: numberIn(result, "peakUsers"),
    },
  };
}

/** Returns the thresholds of the spec with their results, which have the same order. */
function thresholdsOf(test: DeepReadonly<KubeObject>): ThresholdView[] {
  const results = listIn(recordIn(recordIn(test, "status"), "result"), "thresholds");
  return listIn(recordIn(test, "spec"), "thresholds").map((threshold, index) => {
    const metric = textIn(threshold, "metric");
    const name = textIn(threshold, "name") || "Aggregated";
    // A spec that was changed after the start may have other thresholds.
    const result = textIn(results[index], "metric") === metric ? results[index] : undefined;
    return {
      metric,
      name,
      min: numberIn(threshold, "min"),
      max: numberIn(threshold, "max"),
      actual: numberIn(result, "actual"),
      passed: isRecord(result) ? result["passed"] === true : undefined,
      message: textIn(result, "message"),
    };
  });
}
