import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { metricsIn } from "./describe-monitoring.ts";

describe("metricsIn", () => {
  it("returns the metrics of an expression, without functions, labels, texts and keywords", () => {
    const cases: Readonly<Record<string, readonly string[]>> = {
      "time() - a_seconds > 600": ["a_seconds"],
      'sum by (kind, le) (rate(b_total{kind="c_total", x=~"d"}[5m])) > 10': ["b_total"],
      "a_total / on (x) group_left (y) b_total and c unless d offset 5m": ["a_total", "b_total", "c", "d"],
      "histogram_quantile(0.99, sum by (le) (rate(e_bucket[10m]))) > 1e3": ["e_bucket"],
    };

    for (const [expr, names] of Object.entries(cases))
      assert.deepEqual(
        metricsIn(expr).filter((name) => !/^\d/.test(name)),
        names,
      );
  });
});
