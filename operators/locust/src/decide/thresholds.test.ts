import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { snapshotOf, totalRow } from "../testing/snapshots.ts";
import type { Metric, Threshold } from "../api/locust-test.ts";
import { metrics } from "../api/spec.ts";
import { describeBroken, evaluateThreshold, limitText } from "./thresholds.ts";

function threshold(changes: Partial<Threshold> & Pick<Threshold, "metric">): Threshold {
  return { name: "Aggregated", abortOnFail: false, holdSeconds: 0, minRequests: 0, ...changes };
}

const orders = { ...totalRow(), method: "POST", name: "/orders", requests: 100, failures: 20, max: 700 };
const reads = { ...totalRow(), method: "GET", name: "/orders", requests: 50, failures: 0, max: 100 };
const snapshot = snapshotOf({ rows: [orders, reads, totalRow()] });

describe("a threshold", () => {
  const values: Readonly<Record<Metric, number>> = {
    failRatio: 0.02,
    averageResponseTime: 51.239,
    medianResponseTime: 40,
    p95ResponseTime: 120,
    p99ResponseTime: 400,
    maxResponseTime: 900,
    requestsPerSecond: 50.126,
    failuresPerSecond: 1,
    totalRequests: 1_000,
    failedRequests: 20,
    missingWorkers: 2,
  };

  for (const metric of metrics) {
    const actual = values[metric];

    it(`evaluates ${metric}: passes at its limit and fails beyond it`, () => {
      const passed = (limits: Pick<Threshold, "min" | "max">): boolean =>
        evaluateThreshold(threshold({ metric, ...limits }), snapshot, 2).passed;

      assert.equal(evaluateThreshold(threshold({ metric, max: actual }), snapshot, 2).actual, actual);
      assert.deepEqual([passed({ max: actual }), passed({ max: actual - 0.001 })], [true, false]);
      assert.deepEqual([passed({ min: actual }), passed({ min: actual + 0.001 })], [true, false]);
      assert.deepEqual([passed({ min: actual, max: actual }), passed({ min: 0, max: 1e9 })], [true, true]);
    });
  }

  it("reports the metric, the limit and the measured value", () => {
    const one = evaluateThreshold(threshold({ metric: "failRatio", min: 0, max: 0.01 }), snapshot, 2);
    const other = evaluateThreshold(threshold({ metric: "missingWorkers", max: 0 }), snapshot, 2);

    assert.deepEqual(one, {
      metric: "failRatio",
      name: "Aggregated",
      limit: "min 0, max 0.01",
      actual: 0.02,
      passed: false,
    });
    assert.deepEqual(other, { metric: "missingWorkers", limit: "max 0", actual: 2, passed: false });
    assert.equal(describeBroken(one), "failRatio of Aggregated is 0.02, limit is min 0, max 0.01");
    assert.equal(describeBroken(other), "missingWorkers is 2, limit is max 0");
  });

  it("selects a request by name and method", () => {
    const result = evaluateThreshold(
      threshold({ metric: "failRatio", name: "/orders", method: "POST", max: 0.1 }),
      snapshot,
      0,
    );

    assert.deepEqual([result.actual, result.passed, result.method], [0.2, false, "POST"]);
  });

  it("fails if one of several methods fails, when only a name is set", () => {
    const broken = evaluateThreshold(threshold({ metric: "maxResponseTime", name: "/orders", max: 500 }), snapshot, 0);
    const kept = evaluateThreshold(threshold({ metric: "maxResponseTime", name: "/orders", max: 700 }), snapshot, 0);

    assert.deepEqual([broken.passed, broken.actual, broken.method], [false, 700, "POST"]);
    assert.equal(kept.passed, true);
  });

  it("fails for min and passes for max if there was no such request, and reports it", () => {
    const min = evaluateThreshold(threshold({ metric: "totalRequests", name: "/cart", min: 1 }), snapshot, 0);
    const max = evaluateThreshold(
      threshold({ metric: "failRatio", name: "/cart", method: "GET", max: 0.1 }),
      snapshot,
      0,
    );

    assert.deepEqual([min.passed, max.passed], [false, true]);
    assert.match(min.message ?? "", /no request \/cart/);
    assert.match(max.message ?? "", /no request GET \/cart/);
  });

  it("is not evaluated below minRequests", () => {
    const result = evaluateThreshold(threshold({ metric: "failRatio", max: 0, minRequests: 1_001 }), snapshot, 0);

    assert.deepEqual([result.passed, result.message], [true, "not evaluated: 1000 of 1001 requests"]);
    assert.equal(
      evaluateThreshold(threshold({ metric: "failRatio", max: 0, minRequests: 1_000 }), snapshot, 0).passed,
      false,
    );
  });

  it("fails if this version of Locust does not report the metric", () => {
    const old = snapshotOf({ rows: [totalRow({ p95: undefined })] });

    const p95 = evaluateThreshold(threshold({ metric: "p95ResponseTime", max: 1_000 }), old, undefined);
    const missing = evaluateThreshold(threshold({ metric: "missingWorkers", max: 1 }), old, undefined);

    assert.deepEqual([p95.passed, missing.passed], [false, false]);
    assert.match(p95.message ?? "", /not reported by this version/);
  });

  it("ignores a user's request that has the name of the total", () => {
    const own = { ...totalRow({ failures: 999 }), method: "GET" };

    assert.equal(
      evaluateThreshold(threshold({ metric: "failedRequests", max: 20 }), snapshotOf({ rows: [own, totalRow()] }), 0)
        .passed,
      true,
    );
  });

  it("passes if and only if the value is within its limits", () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.option(fc.nat(2_000)), fc.option(fc.nat(2_000)), (requests, min, max) => {
        const limits = { ...(min === null ? {} : { min }), ...(max === null ? {} : { max }) };
        const one = threshold({ metric: "totalRequests", ...limits });

        const { passed, limit } = evaluateThreshold(one, snapshotOf({ rows: [totalRow({ requests })] }), 0);

        assert.equal(passed, requests >= (min ?? 0) && requests <= (max ?? Infinity));
        assert.equal(limit, limitText(one));
      }),
    );
  });
});
