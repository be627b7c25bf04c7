import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type DashboardResult, exceededLimits, median, performancePage } from "./report.ts";

const result: DashboardResult = {
  date: "2026-01-01T00:00:00.000Z",
  machine: "a machine",
  load: 1.23,
  resources: 5_000,
  firstViewMs: [300, 400, 900],
  changeMs: [120, 150, 700],
  pageBytes: 60_000,
  memory: { before: 80e6, open: 120e6 },
  idleCpuMs: 10,
};

describe("the report of the dashboard", () => {
  it("names the limits that a result exceeds", () => {
    assert.deepEqual(exceededLimits(result), []);
    const slow = {
      ...result,
      firstViewMs: [1_001],
      changeMs: [1, 2_000],
      pageBytes: 300_000,
      memory: { before: 80e6, open: 141e6 },
    };
    assert.deepEqual(exceededLimits(slow), [
      "the first view takes 1001 ms, limit 1 s",
      "a change is visible after 2000 ms, limit 1 s",
      "the page has 300 KB, limit 200 KB",
      "an open page needs 61 MB, limit 60 MB",
    ]);
  });

  it("becomes a page with the numbers and the load of the machine", () => {
    assert.equal(median([1, 2, 9]), 2);
    const page = performancePage(result);
    for (const part of ["5,000 resources", "400 ms", "700 ms", "60 KB", "40 MB", "10 ms", "load average was 1.2"])
      assert.ok(page.includes(part), part);
  });
});
