import type { Outcome, Result, ThresholdResult } from "../api/locust-test.ts";
import type { Snapshot, SnapshotError } from "../live/live-stats.ts";
import { rounded } from "./rounded.ts";
import { totalOf } from "../live/rows.ts";
import { told } from "./told.ts";

/** What a result is made of. */
export interface ResultInput {
  readonly outcome: Outcome;
  /** The final snapshot, or the last one; undefined when there never was one. */
  readonly snapshot: Snapshot | undefined;
  /** Whether the snapshot is final. */
  readonly isFinal: boolean;
  readonly peakUsers: number;
  readonly masterExitCode?: number | undefined;
  readonly thresholds?: readonly ThresholdResult[] | undefined;
  readonly resultsConfigMap?: string | undefined;
  /** What the status says already: an operator that was started since the run was over knows no numbers of its own. */
  readonly stored?: Result | undefined;
}

const errorsMax = 5;
const errorLengthMax = 200;

/** What came out of a run (21.3). */
export function resultOf(input: ResultInput): Result {
  const { outcome, snapshot, isFinal, peakUsers, stored } = input;
  const thresholds = input.thresholds ?? stored?.thresholds;
  const resultsConfigMap = input.resultsConfigMap ?? stored?.resultsConfigMap;
  const peak = Math.max(peakUsers, stored?.peakUsers ?? 0);
  const exitCode = input.masterExitCode ?? stored?.masterExitCode;
  // Numbers that were final once are not replaced by others that are not.
  const known = stored?.final === true && !isFinal ? stored : undefined;
  return {
    ...(snapshot === undefined || known !== undefined ? stored : numbersOf(snapshot, isFinal)),
    outcome,
    ...(peak > 0 ? { peakUsers: peak } : {}),
    ...(exitCode === undefined ? {} : { masterExitCode: exitCode }),
    ...(thresholds === undefined ? {} : { thresholds: [...thresholds] }),
    ...(resultsConfigMap === undefined ? {} : { resultsConfigMap }),
  };
}

function numbersOf(snapshot: Snapshot, isFinal: boolean): Omit<Result, "outcome"> {
  const total = totalOf(snapshot);
  const topErrors = topErrorsOf(snapshot.errors);
  return {
    ...told({
      totalRequests: total?.requests,
      failedRequests: total?.failures,
      failRatio: snapshot.failRatio,
      averageResponseTime: rounded(total?.average),
      medianResponseTime: rounded(total?.median),
      minResponseTime: rounded(total?.min),
      maxResponseTime: rounded(total?.max),
      p95ResponseTime: rounded(total?.p95),
      p99ResponseTime: rounded(total?.p99),
      requestsPerSecond: rounded(snapshot.totalRps ?? total?.requestsPerSecond),
    }),
    ...(topErrors.length === 0 ? {} : { topErrors }),
    final: isFinal,
  };
}

function topErrorsOf(errors: readonly SnapshotError[]): NonNullable<Result["topErrors"]> {
  return errors
    .toSorted((one, other) => other.occurrences - one.occurrences)
    .slice(0, errorsMax)
    .map(({ method, name, error, occurrences }) => ({
      method: cut(method),
      name: cut(name),
      error: cut(error),
      occurrences,
    }));
}

/** The beginning of a text, not ending in half a character. */
function cut(text: string): string {
  return text.length <= errorLengthMax ? text : text.slice(0, errorLengthMax).replace(/[\uD800-\uDBFF]$/, "");
}
