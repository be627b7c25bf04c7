import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exceededLimits, percentile, performancePage, type RouteServerResult } from "./report.ts";

const result: RouteServerResult = {
  date: "2026-01-01T00:00:00.000Z",
  machine: "a machine",
  load: 1,
  tables: 1_000,
  entries: 5,
  proxies: 100,
  lastMs: Array.from({ length: 100 }, (_, index) => index + 1),
  cpuMs: 7,
  memory: { tables: 90e6, proxies: 120e6 },
};

describe("the report of the route server", () => {
  it("has percentiles of sorted values", () => {
    assert.deepEqual([percentile(result.lastMs, 50), percentile(result.lastMs, 99), percentile([7], 99)], [50, 99, 7]);
  });

  it("names the limits that a result exceeds", () => {
    assert.deepEqual(exceededLimits(result), []);
    const slow = { ...result, lastMs: [1_500], memory: { tables: 0, proxies: 300e6 } };
    assert.deepEqual(exceededLimits(slow), [
      "the 99th percentile is 1500 ms, limit 1000 ms",
      "memory is 300 MB, limit 200 MB",
    ]);
  });

  it("becomes a page with the numbers and the load of the machine", () => {
    const page = performancePage({ ...result, load: 12.34 });
    for (const part of ["1,000 tables of 5 entries", "99 ms", "7 ms", "120 MB", "load average was 12.3"]) {
      assert.ok(page.includes(part), part);
    }
  });
});
