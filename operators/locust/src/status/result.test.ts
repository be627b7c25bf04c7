import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { csvTotal, recordingOf } from "../testing/recordings.ts";
import { snapshotOf, totalRow } from "../testing/snapshots.ts";
import { cutAtLine, resultFiles } from "../build/results.ts";
import { pointOf } from "../live/run-series.ts";
import { parseStats } from "../live/snapshot.ts";
import { resultOf } from "./result.ts";

describe("resultOf", () => {
  it("returns the statistics of all requests", () => {
    const result = resultOf({
      outcome: "Passed",
      snapshot: snapshotOf(),
      isFinal: true,
      peakUsers: 12,
      masterExitCode: 0,
      thresholds: [],
      resultsConfigMap: "smoke-results",
    });

    assert.deepEqual(result, {
      outcome: "Passed",
      totalRequests: 1_000,
      failedRequests: 20,
      failRatio: 0.02,
      averageResponseTime: 51.24,
      medianResponseTime: 40,
      minResponseTime: 3,
      maxResponseTime: 900,
      p95ResponseTime: 120,
      p99ResponseTime: 400,
      requestsPerSecond: 50.13,
      peakUsers: 12,
      masterExitCode: 0,
      final: true,
      thresholds: [],
      resultsConfigMap: "smoke-results",
    });
  });

  it("returns the totals of a recorded run", () => {
    const recording = recordingOf("2.47.0");
    const snapshot = parseStats(recording.states.stopped.body, 0);

    const result = resultOf({ outcome: "Failed", snapshot, isFinal: true, peakUsers: 6 });

    const own = csvTotal(recording);
    assert.deepEqual(
      [result.totalRequests, result.failedRequests, result.p95ResponseTime, result.requestsPerSecond],
      [own.requests, own.failures, own.p95, Math.round(own.rps * 100) / 100],
    );
  });

  it("returns no statistics without a snapshot", () => {
    const result = resultOf({ outcome: "Error", snapshot: undefined, isFinal: false, peakUsers: 0, masterExitCode: 2 });

    assert.deepEqual(result, { outcome: "Error", masterExitCode: 2 });
  });

  it("keeps the stored result if the operator started after the end", () => {
    const stored = resultOf({
      outcome: "Unknown",
      snapshot: snapshotOf(),
      isFinal: true,
      peakUsers: 12,
      thresholds: [],
    });

    const result = resultOf({
      outcome: "Passed",
      snapshot: undefined,
      isFinal: false,
      peakUsers: 0,
      masterExitCode: 0,
      stored,
    });

    assert.deepEqual(result, { ...stored, outcome: "Passed", masterExitCode: 0 });
  });

  it("never replaces final statistics by others", () => {
    const stored = resultOf({ outcome: "Unknown", snapshot: snapshotOf(), isFinal: true, peakUsers: 12 });
    const lesser = snapshotOf({ rows: [totalRow({ requests: 7 })] });

    const result = resultOf({ outcome: "Passed", snapshot: lesser, isFinal: false, peakUsers: 1, stored });

    assert.deepEqual([result.totalRequests, result.final, result.peakUsers], [1_000, true, 12]);
  });

  it("returns the five most frequent errors, truncated", () => {
    const errors = Array.from({ length: 9 }, (_, index) => ({
      method: "GET",
      name: `/${index}`,
      error: `${"x".repeat(199)}😀 and more`,
      occurrences: index,
    }));

    const { topErrors = [] } = resultOf({
      outcome: "Failed",
      snapshot: snapshotOf({ errors }),
      isFinal: true,
      peakUsers: 1,
    });

    assert.deepEqual(
      topErrors.map(({ occurrences }) => occurrences),
      [8, 7, 6, 5, 4],
    );
    assert.equal(topErrors[0]?.error, "x".repeat(199), "without half a character");
  });
});

describe("resultFiles", () => {
  it("returns Locust's CSV files, and the rows and errors as JSON", () => {
    const recording = recordingOf("2.47.0");
    const snapshot = parseStats(recording.states.stopped.body, 0);
    const { requests, failures, exceptions } = recording.csv;

    const files = resultFiles({
      snapshot,
      files: { requestsCsv: requests.body, failuresCsv: failures.body, exceptionsCsv: exceptions.body },
      points: [pointOf(snapshot)],
    });

    assert.deepEqual(Object.keys(files), [
      "requests.csv",
      "failures.csv",
      "exceptions.csv",
      "summary.json",
      "series.csv",
    ]);
    assert.match(files["series.csv"] ?? "", /^at,users,[^\n]*\n1970-01-01T00:00:00Z,\d/);
    assert.equal(files["requests.csv"], requests.body);
    const summary = JSON.parse(files["summary.json"] ?? "") as { stats: object[]; errors: object[] };
    assert.deepEqual([summary.stats.length, summary.errors.length], [3, 1]);
  });

  it("returns only the summary without CSV files and points", () => {
    assert.deepEqual(Object.keys(resultFiles({ snapshot: snapshotOf(), files: undefined, points: [] })), [
      "summary.json",
    ]);
  });

  it("truncates files at the end of a line at 200 KiB, with a note", () => {
    const line = `GET,/größe,${"1,".repeat(40)}\n`;
    const whole = line.repeat(Math.floor((200 * 1_024) / Buffer.byteLength(line)));

    const cut = cutAtLine(line.repeat(10_000));

    assert.equal(cutAtLine(whole), whole, "what fits stays");
    const lines = cut.split("\n");
    assert.ok(Buffer.byteLength(cut) <= 200 * 1_024 && Buffer.byteLength(cut) > 199 * 1_024);
    assert.deepEqual(lines.slice(-2), ["... truncated: the file is larger than 200 KiB", ""]);
    assert.ok(lines.slice(0, -2).every((one) => `${one}\n` === line));
  });

  it("returns only valid UTF-8", () => {
    assert.equal(cutAtLine("a\uD800b"), "a\uFFFDb");
    assert.equal(
      cutAtLine("x".repeat(300_000)),
      "... truncated: the file is larger than 200 KiB\n",
      "one endless line",
    );
  });
});
