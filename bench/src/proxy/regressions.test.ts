import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { names, type ProxyResults } from "./goals.ts";
import { recordedValues, regressions } from "./regressions.ts";
import { formatResults } from "./report.ts";

function resultsOf(newer: number, keysMemory: number): ProxyResults {
  return {
    small: { [names.newer]: newer, [names.haproxy]: 20 },
    smallLatency: {
      p50: { [names.direct]: 100, [names.newer]: 100 + newer, [names.haproxy]: 120 },
      p99: { [names.direct]: 100, [names.newer]: 200, [names.haproxy]: 200 },
    },
    keys: { [names.newer]: 20, [names.many]: 20 + newer },
    keysMemory,
  };
}

describe("regressions", () => {
  const recorded = recordedValues(formatResults(resultsOf(25, 100)));

  it("are capacities and memory that are worse than the recorded ones by more than 10 %", () => {
    assert.deepEqual(regressions(resultsOf(28, 110), recorded), [
      "HTTP/1.1 1 KiB, capacity to HAProxy: 0.71, recorded 0.8",
    ]);
    assert.deepEqual(regressions(resultsOf(25, 111), recorded), ["memory with 20,000 keys: 111.00, recorded 100"]);
  });

  it("are none within 10 %, for better values, and for values that were not recorded", () => {
    assert.deepEqual(regressions(resultsOf(27.7, 110), recorded), []);
    assert.deepEqual(regressions(resultsOf(12, 50), recorded), []);
    assert.deepEqual(regressions(resultsOf(100, 500), new Map()), []);
  });
});
