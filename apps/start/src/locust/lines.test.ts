import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { liveLine } from "./live-line.ts";
import { resultLines } from "./result-lines.ts";

describe("the lines printed for a load test", () => {
  it("show live statistics while the test runs", () => {
    const line = liveLine({
      phase: "Running",
      expectedWorkers: 2,
      connectedWorkers: 1,
      progress: {
        state: "running",
        currentUsers: 16,
        targetUsers: 40,
        requestsPerSecond: 1234.5,
        failPercent: 0.25,
        p95: 31,
        percent: 40,
      },
    });

    assert.equal(line, "workers 1/2   users 16/40   1,235 requests/s   0.3 % failed   p95 31 ms   40 %");
  });

  it("show only the workers before Locust reports statistics", () => {
    assert.equal(liveLine({ phase: "Running", expectedWorkers: 2 }), "workers 0/2");
    assert.equal(liveLine({ phase: "Pending" }), "");
  });

  it("show the result with every threshold at the end", () => {
    const lines = resultLines({
      phase: "Failed",
      conditions: [
        {
          type: "TestCompleted",
          status: "True",
          reason: "ThresholdsFailed",
          message: "Test failed: p95ResponseTime",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
      result: {
        outcome: "Failed",
        totalRequests: 12_345,
        failedRequests: 2,
        requestsPerSecond: 61.7,
        p95ResponseTime: 812,
        thresholds: [
          { metric: "failRatio", name: "Aggregated", limit: "max 0.01", actual: 0.0002, passed: true },
          { metric: "p95ResponseTime", name: "buy", limit: "max 500", actual: 812, passed: false },
          { metric: "totalRequests", limit: "min 1", passed: false, message: "there is no such request" },
        ],
      },
    });

    assert.deepEqual(lines, [
      "Failed, outcome Failed: Test failed: p95ResponseTime",
      "12,345 requests, 2 failed, 61.7/s, p95 812 ms",
      "passed failRatio max 0.01: actual 0.0002",
      "failed p95ResponseTime of buy max 500: actual 812",
      "failed totalRequests min 1: no value (there is no such request)",
    ]);
  });
});
