import type { LocustTestStatus, ThresholdResult } from "@homeostat/locust-operator";
import { shortNumber } from "../view/numbers.ts";

/** What came out of a test that is over: its totals, how its thresholds were judged, and why it failed. */
export function verdictLines({ phase, result, conditions }: LocustTestStatus): string[] {
  const completed = conditions?.find(({ type }) => type === "TestCompleted");
  const lines = [
    `${phase ?? ""}${result === undefined ? "" : `, outcome ${result.outcome}`}: ${completed?.message ?? ""}`,
  ];
  if (result?.totalRequests !== undefined) {
    const parts = [
      `${shortNumber(result.totalRequests)} requests`,
      `${shortNumber(result.failedRequests ?? 0)} failed`,
      ...(result.requestsPerSecond === undefined ? [] : [`${shortNumber(result.requestsPerSecond)}/s`]),
      ...(result.p95ResponseTime === undefined ? [] : [`p95 ${shortNumber(result.p95ResponseTime)} ms`]),
    ];
    lines.push(parts.join(", "));
  }
  return [...lines, ...(result?.thresholds ?? []).map(thresholdLine)];
}

function thresholdLine({ metric, name, limit, actual, passed, message }: ThresholdResult): string {
  const what = name === undefined || name === "Aggregated" ? metric : `${metric} of ${name}`;
  const found = actual === undefined ? "nothing to judge" : `is ${shortNumber(actual)}`;
  return `${passed ? "kept  " : "broken"} ${what} ${limit}: ${found}${message === undefined ? "" : ` (${message})`}`;
}
