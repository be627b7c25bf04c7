import type { DeepReadonly } from "homeostat";
import { withoutUndefined } from "@homeostat/core";
import type { Outcome, Result, ThresholdResult } from "../api/locust-test.ts";
import { type Snapshot, type SnapshotError, totalOf } from "../live/snapshot.ts";
import { rounded } from "../api/status-values.ts";

export interface ResultInput {
  readonly outcome: Outcome;
  /** The newest snapshot; undefined when none was ever taken. */
  readonly snapshot: Snapshot | undefined;
  readonly isFinal: boolean;
  readonly peakUsers: number;
  readonly masterExitCode?: number | undefined;
  readonly thresholds?: readonly ThresholdResult[] | undefined;
  readonly resultsConfigMap?: string | undefined;
  /** The result in the status: an operator that was started after the end of the run has no snapshot of its own. */
  readonly stored?: DeepReadonly<Result> | undefined;
}

const errorsMax = 5;
const errorLengthMax = 200;

/** Returns the result of a run. */
export function resultOf(input: ResultInput): DeepReadonly<Result> {
  const { outcome, snapshot, isFinal, stored } = input;
  const thresholds = input.thresholds ?? stored?.thresholds;
  const resultsConfigMap = input.resultsConfigMap ?? stored?.resultsConfigMap;
  const peakUsers = Math.max(input.peakUsers, stored?.peakUsers ?? 0);
  const masterExitCode = input.masterExitCode ?? stored?.masterExitCode;
  // Final statistics are never replaced by others that are not.
  const isStoredBetter = stored?.final === true && !isFinal;
  return {
    ...(snapshot === undefined || isStoredBetter ? stored : statisticsOf(snapshot, isFinal)),
    outcome,
    ...(peakUsers > 0 && { peakUsers }),
    ...withoutUndefined({ masterExitCode, thresholds, resultsConfigMap }),
  };
}

function statisticsOf(snapshot: Snapshot, isFinal: boolean): Omit<Result, "outcome"> {
  const total = totalOf(snapshot);
  const topErrors = topErrorsOf(snapshot.errors);
  return {
    ...withoutUndefined({
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
    ...(topErrors.length > 0 && { topErrors }),
    final: isFinal,
  };
}

function topErrorsOf(errors: readonly SnapshotError[]): NonNullable<Result["topErrors"]> {
  return errors
    .toSorted((one, other) => other.occurrences - one.occurrences)
    .slice(0, errorsMax)
    .map(({ method, name, error, occurrences }) => {
      return { method: cut(method), name: cut(name), error: cut(error), occurrences };
    });
}

/** Cuts a text without leaving half a surrogate pair. */
function cut(text: string): string {
  return text.length <= errorLengthMax ? text : text.slice(0, errorLengthMax).replace(/[\uD800-\uDBFF]$/, "");
}
