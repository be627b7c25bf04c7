import { isList, isRecord, type JsonRecord, ownValue, ParseError } from "@homeostat/core";
import type { Snapshot, SnapshotError, SnapshotRow, WorkerStates } from "./live-stats.ts";
import { totalOf } from "./rows.ts";
import { count, firstMeasure, int32Max, measure, text } from "./bounded.ts";

/** Locust itself tells at most this many. */
const rowsMax = 501;
const workersMax = 100_000;

/**
 * Reads an answer of `/stats/requests`, of any Locust since 2.15.
 *
 * Keys that are not known are ignored, and what is missing or makes no sense is left out. Throws a {@link ParseError} when the
 * answer is not JSON or names no state, as that of another program.
 */
export function parseStats(input: string, at: number): Snapshot {
  const answer = readObject(input);
  const state = ownValue(answer, "state");
  if (typeof state !== "string" || !/^[a-z]{1,20}$/.test(state)) throw malformed(input, "expected the state of a test");
  const workers = isList(ownValue(answer, "workers")) ? workersOf(answer) : undefined;
  const rows = records(answer, "stats", rowsMax).map(rowOf);
  return {
    at,
    state,
    userCount: count(answer, "user_count", int32Max) ?? 0,
    workerCount: count(answer, "worker_count", int32Max) ?? (workers === undefined ? undefined : connected(workers)),
    workers,
    ...rates(answer, rows),
    failRatio: ratio(answer),
    ...currentPercentiles(answer),
    rows,
    errors: records(answer, "errors", rowsMax).map(errorOf),
  };
}

function readObject(input: string): JsonRecord {
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch (error) {
    throw malformed(input, "expected JSON", { cause: error });
  }
  if (!isRecord(value)) throw malformed(input, "expected a JSON object");
  return value;
}

function malformed(input: string, problem: string, options?: ErrorOptions): ParseError {
  // The error is kept for a while: it must not hold on to megabytes.
  return new ParseError({ what: "answer of /stats/requests", input: input.slice(0, 200), offset: 0, problem }, options);
}

function records(answer: JsonRecord, key: string, max: number): readonly JsonRecord[] {
  const value = ownValue(answer, key);
  return isList(value) ? value.slice(0, max).filter(isRecord) : [];
}

function ratio(answer: JsonRecord): number | undefined {
  const value = measure(answer, "fail_ratio");
  return value === undefined ? undefined : Math.min(1, value);
}

// Before there was a current_rps (seen up to 2.36), what is called total_rps was the current rate.
function rates(
  answer: JsonRecord,
  rows: readonly SnapshotRow[],
): Pick<Snapshot, "currentRps" | "totalRps" | "currentFailuresPerSecond"> {
  const isOld = !Object.hasOwn(answer, "current_rps");
  return {
    currentRps: measure(answer, isOld ? "total_rps" : "current_rps"),
    totalRps: isOld ? totalOf({ rows })?.requestsPerSecond : measure(answer, "total_rps"),
    currentFailuresPerSecond: measure(answer, isOld ? "total_fail_per_sec" : "current_fail_per_sec"),
  };
}

// At first the percentiles were named after their values, then numbered (seen in 2.15 to 2.20), and now are a map (2.36).
function currentPercentiles(answer: JsonRecord): Pick<Snapshot, "currentP50" | "currentP95"> {
  const map = ownValue(answer, "current_response_time_percentiles");
  if (isRecord(map))
    return {
      currentP50: measure(map, "response_time_percentile_0.5"),
      currentP95: measure(map, "response_time_percentile_0.95"),
    };
  const name = "current_response_time_percentile";
  return {
    currentP50: firstMeasure(answer, `${name}_1`, `${name}_50`),
    currentP95: firstMeasure(answer, `${name}_2`, `${name}_95`),
  };
}

function rowOf(row: JsonRecord): SnapshotRow {
  return {
    method: text(row, "method"),
    name: text(row, "name"),
    requests: count(row, "num_requests") ?? 0,
    failures: count(row, "num_failures") ?? 0,
    average: measure(row, "avg_response_time"),
    median: measure(row, "median_response_time"),
    min: measure(row, "min_response_time"),
    max: measure(row, "max_response_time"),
    p95: measure(row, "response_time_percentile_0.95"),
    p99: firstMeasure(row, "response_time_percentile_0.99", "ninety_ninth_response_time"),
    requestsPerSecond: measure(row, "total_rps"),
    failuresPerSecond: measure(row, "total_fail_per_sec"),
  };
}

function errorOf(error: JsonRecord): SnapshotError {
  return {
    method: text(error, "method"),
    name: text(error, "name"),
    error: unescaped(text(error, "error")),
    occurrences: count(error, "occurrences") ?? 0,
  };
}

const entities: Readonly<Record<string, string>> = {
  "&quot;": '"',
  "&#x27;": "'",
  "&#39;": "'",
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
};

/** Up to 2.20 texts of errors are written for HTML pages. */
function unescaped(value: string): string {
  return value.replaceAll(/&(?:quot|#x27|#39|lt|gt|amp);/g, (entity) => entities[entity] ?? entity);
}

function workersOf(answer: JsonRecord): WorkerStates {
  const workers = records(answer, "workers", workersMax);
  const inState = (state: string): number => workers.filter((worker) => ownValue(worker, "state") === state).length;
  const loads = workers.map((worker) => measure(worker, "cpu_usage") ?? 0);
  return {
    ready: inState("ready"),
    spawning: inState("spawning"),
    running: inState("running"),
    missing: inState("missing"),
    maxCpuPercent: loads.length === 0 ? undefined : loads.reduce((most, one) => Math.max(most, one), 0),
  };
}

function connected({ ready, spawning, running }: WorkerStates): number {
  return ready + spawning + running;
}
