import type { LocustTestStatus } from "@homeostat/locust-operator";
import { shortNumber } from "../view/numbers.ts";

/** Returns the live statistics of a running test in one line; empty when the test does not run. */
export function liveLine({ phase, progress, connectedWorkers, expectedWorkers }: LocustTestStatus): string {
  if (phase !== "Running") return "";
  const parts = [`workers ${connectedWorkers ?? 0}/${expectedWorkers ?? "?"}`];
  if (progress?.currentUsers !== undefined)
    parts.push(`users ${progress.currentUsers}${progress.targetUsers === undefined ? "" : `/${progress.targetUsers}`}`);
  if (progress?.requestsPerSecond !== undefined) parts.push(`${shortNumber(progress.requestsPerSecond)} requests/s`);
  if (progress?.failPercent !== undefined) parts.push(`${shortNumber(progress.failPercent)} % failed`);
  if (progress?.p95 !== undefined) parts.push(`p95 ${shortNumber(progress.p95)} ms`);
  if (progress?.percent !== undefined) parts.push(`${progress.percent} %`);
  return parts.join("   ");
}
