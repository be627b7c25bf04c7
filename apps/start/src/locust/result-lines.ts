import type { LocustTestStatus, ThresholdResult } from "@homeostat/locust-operator";
import { shortNumber } from "../view/numbers.ts";

/** Returns the result of a finished test: outcome with reason, totals, and one line per threshold. */
export function resultLines({ phase, result, conditions }: LocustTestStatus): string[] {
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
  const value = actual === undefined ? "no value" : `actual ${shortNumber(actual)}`;
  return `${passed ? "passed" : "failed"} ${what} ${limit}: ${value}${message === undefined ? "" : ` (${message})`}`;
}
