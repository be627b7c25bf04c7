// Parses responses of a master. They are not trusted: a negative or implausibly large number counts as absent.

import {
  type BoundedJsonOptions,
  isList,
  isRecord,
  type JsonRecord,
  JsonLimitError,
  ownValue,
  parseBoundedJson,
  ParseError,
  readStatusBody,
} from "@homeostat/core";
import type { WebResponse } from "./web-api.ts";

/** One parsed response of `/stats/requests`. */
export type Snapshot = ReturnType<typeof parseStats>;
/** One row of the request statistics. Times are in milliseconds. */
export type SnapshotRow = ReturnType<typeof rowOf>;
export type SnapshotError = ReturnType<typeof errorOf>;

/** Locust's name for the row of all requests together. */
export const totalName = "Aggregated";

/** Returns the row of all requests together. A user's request of the same name has a method. */
export function totalOf({ rows }: { readonly rows: readonly SnapshotRow[] }): SnapshotRow | undefined {
  return rows.findLast(({ name, method }) => name === totalName && method === "");
}

/**
 * Reports whether a run has ended. `startedAt` is the time at which users were first observed; undefined if they were not.
 *
 * Locust also reports `stopped` before any worker is connected. If the operator did not observe the start of the run, requests prove that it took place.
 */
export function hasEnded(snapshot: Snapshot, startedAt: number | undefined): boolean {
  return snapshot.state === "stopped" && (startedAt !== undefined || (totalOf(snapshot)?.requests ?? 0) > 0);
}

/** The meaning of one response of `/stats/requests`. */
export type Reading =
  | { readonly type: "snapshot"; readonly snapshot: Snapshot }
  | { readonly type: "login"; readonly message: string }
  | { readonly type: "failure"; readonly message: string };

/** Interprets any response to `/stats/requests`. Never throws. */
export function readStats(response: WebResponse, at: number): Reading {
  if (response.type === "failure") return response;
  const { status, contentType, body } = response;
  const isRedirect = status >= 300 && status < 400 && status !== 304;
  // With --web-login, Locust redirects to its login page or sends that page.
  const isPage = status === 200 && (/^\s*text\/html\b/i.test(contentType) || /^\s*<(?:!doctype|html)/i.test(body));
  if (isRedirect || isPage || status === 401) {
    return { type: "login", message: "The master's web interface requires a login" };
  }
  if (status !== 200) {
    // The API server's proxy sends a Status object for errors of its own.
    const { isStatus, message } = readStatusBody(body);
    return {
      type: "failure",
      message: `responded with status ${status}${isStatus ? `: ${message.slice(0, 200)}` : ""}`,
    };
  }
  try {
    return { type: "snapshot", snapshot: parseStats(body, at) };
  } catch (error) {
    if (error instanceof JsonLimitError) {
      return { type: "failure", message: `sent statistics that exceed a limit (${error.limit}: ${error.max})` };
    }
    if (!(error instanceof ParseError)) throw error;
    return { type: "failure", message: error.message };
  }
}

/** Size limit of the statistics. Locust sends at most 500 rows, which are 40 KB, and as many errors; a worker adds 150 bytes. */
export const statsBytesMax = 1_048_576;

/**
 * Limits of the statistics. The master runs an image of the user, which may send JSON that is crafted to block the event loop.
 *
 * Locust nests four levels deep, with under a hundred different keys. 500 rows of 20 fields, 500 errors of 5 and 1,000 workers of 5 stay
 * within the limits. The slowest documents within them take about 10 ms.
 */
const statsLimits: BoundedJsonOptions = {
  what: "response of /stats/requests",
  bytesMax: statsBytesMax,
  depthMax: 16,
  valuesMax: 40_000,
  keysMax: 20_000,
  distinctKeysMax: 500,
};

/** Locust sends at most this many. */
const rowsMax = 501;
const workersMax = 100_000;

/**
 * Parses a body of `/stats/requests`, of Locust 2.15 and later. Unknown keys are ignored, invalid values are omitted.
 *
 * Throws a {@link ParseError} when the body is not JSON or has no state, as from another program, and a {@link JsonLimitError} when
 * it is larger than any that Locust sends.
 */
export function parseStats(input: string, at: number) {
  const stats = parseObject(input);
  const state = ownValue(stats, "state");
  if (typeof state !== "string" || !/^[a-z]{1,20}$/.test(state)) throw malformed(input, "expected the state of a test");
  const workers = isList(ownValue(stats, "workers")) ? workersOf(stats) : undefined;
  const rows = records(stats, "stats", rowsMax).map(rowOf);
  return {
    /** Milliseconds since 1970. */
    at,
    /** `ready`, `spawning`, `running`, `cleanup`, `stopping`, `stopped` or `missing`. */
    state,
    userCount: count(stats, "user_count", int32Max) ?? 0,
    workerCount: count(stats, "worker_count", int32Max) ?? connected(workers),
    workers,
    ...rates(stats, rows),
    failRatio: ratio(stats),
    ...currentPercentiles(stats),
    rows,
    errors: records(stats, "errors", rowsMax).map(errorOf),
  };
}

function parseObject(input: string): JsonRecord {
  const value = parseBoundedJson(input, statsLimits);
  if (!isRecord(value)) throw malformed(input, "expected a JSON object");
  return value;
}

function malformed(input: string, problem: string): ParseError {
  // The error may be kept for a while, so it must not hold the whole body.
  return new ParseError({ what: statsLimits.what, input: input.slice(0, 200), offset: 0, problem });
}

function records(stats: JsonRecord, key: string, max: number): readonly JsonRecord[] {
  const value = ownValue(stats, key);
  return isList(value) ? value.slice(0, max).filter(isRecord) : [];
}

function ratio(stats: JsonRecord): number | undefined {
  const value = measure(stats, "fail_ratio");
  return value === undefined ? undefined : Math.min(1, value);
}

// Without current_rps (up to 2.36), total_rps is the current rate.
function rates(stats: JsonRecord, rows: readonly SnapshotRow[]) {
  const isOld = !Object.hasOwn(stats, "current_rps");
  return {
    currentRps: measure(stats, isOld ? "total_rps" : "current_rps"),
    totalRps: isOld ? totalOf({ rows })?.requestsPerSecond : measure(stats, "total_rps"),
    currentFailuresPerSecond: measure(stats, isOld ? "total_fail_per_sec" : "current_fail_per_sec"),
  };
}

// Percentiles were named after their values, then numbered (2.15 to 2.20), and are a map since 2.36.
function currentPercentiles(stats: JsonRecord) {
  const map = ownValue(stats, "current_response_time_percentiles");
  if (isRecord(map)) {
    const name = "response_time_percentile";
    return { currentP50: measure(map, `${name}_0.5`), currentP95: measure(map, `${name}_0.95`) };
  }
  const name = "current_response_time_percentile";
  return {
    currentP50: measure(stats, `${name}_1`, `${name}_50`),
    currentP95: measure(stats, `${name}_2`, `${name}_95`),
  };
}

function rowOf(row: JsonRecord) {
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
    p99: measure(row, "response_time_percentile_0.99", "ninety_ninth_response_time"),
    requestsPerSecond: measure(row, "total_rps"),
    failuresPerSecond: measure(row, "total_fail_per_sec"),
  };
}

function errorOf(error: JsonRecord) {
  return {
    method: text(error, "method"),
    name: text(error, "name"),
    error: unescaped(text(error, "error")),
    occurrences: count(error, "occurrences") ?? 0,
  };
}

/** HTML entities. The ampersand is replaced last, because `&amp;lt;` stands for `&lt;`. */
const entities: readonly (readonly [entity: string, text: string])[] = [
  ["&quot;", '"'],
  ["&#x27;", "'"],
  ["&#39;", "'"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&amp;", "&"],
];

/** Replaces HTML entities: up to version 2.20, Locust escapes error messages. */
function unescaped(value: string): string {
  // No callback per match: a hostile master can send a hundred thousand entities.
  return entities.reduce((text, [entity, plain]) => text.replaceAll(entity, plain), value);
}

function workersOf(stats: JsonRecord) {
  const workers = records(stats, "workers", workersMax);
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

function connected(workers: ReturnType<typeof workersOf> | undefined): number | undefined {
  return workers && workers.ready + workers.spawning + workers.running;
}

const int32Max = 2 ** 31 - 1;
const measureMax = 1e15;
const textLengthMax = 1_000;

function count(record: JsonRecord, key: string, max: number = Number.MAX_SAFE_INTEGER): number | undefined {
  const value = ownValue(record, key);
  return typeof value === "number" && value >= 0 && value <= max ? Math.trunc(value) : undefined;
}

/** Returns the first of several numbers that is present. */
function measure(record: JsonRecord, ...keys: readonly string[]): number | undefined {
  return keys
    .map((key) => ownValue(record, key))
    .find((value): value is number => typeof value === "number" && value >= 0 && value <= measureMax);
}

function text(record: JsonRecord, key: string): string {
  const value = ownValue(record, key);
  return typeof value === "string" ? value.slice(0, textLengthMax) : "";
}
