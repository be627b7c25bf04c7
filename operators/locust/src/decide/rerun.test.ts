import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LocustTestStatus } from "../api/locust-test.ts";
import { decideRerun, nextRun } from "./rerun.ts";

const over: LocustTestStatus = {
  phase: "Succeeded",
  run: 1,
  startTime: "2026-01-01T12:00:00Z",
  completionTime: "2026-01-01T12:05:00Z",
  startedGeneration: 3,
  result: { outcome: "Passed", totalRequests: 10, failRatio: 0, p95ResponseTime: 12, averageResponseTime: 4 },
};

describe("decideRerun and nextRun", () => {
  it("do nothing without a token, or with a token that was already handled", () => {
    assert.deepEqual(decideRerun({ status: over, token: undefined, hasJobs: true }), { type: "none" });
    assert.deepEqual(decideRerun({ status: over, token: "", hasJobs: true }), { type: "none" });
    assert.deepEqual(decideRerun({ status: { ...over, lastRerunToken: "a" }, token: "a", hasJobs: true }), {
      type: "none",
    });
  });

  it("refuse a rerun of a test that has not finished", () => {
    for (const phase of ["Pending", "Running"] as const)
      assert.deepEqual(decideRerun({ status: { ...over, phase }, token: "a", hasJobs: true }), {
        type: "refuse",
        token: "a",
      });
  });

  it("delete the Jobs of the last run, and start when both names are free", () => {
    assert.deepEqual(decideRerun({ status: over, token: "a", hasJobs: true }), { type: "clear", pauseMs: 2_000 });
    assert.deepEqual(decideRerun({ status: over, token: "a", hasJobs: false }), { type: "start", token: "a" });
  });

  it("add the last run to the history", () => {
    assert.deepEqual(nextRun(over, "a"), {
      run: 2,
      lastRerunToken: "a",
      history: [
        {
          run: 1,
          startTime: "2026-01-01T12:00:00Z",
          completionTime: "2026-01-01T12:05:00Z",
          phase: "Succeeded",
          outcome: "Passed",
          totalRequests: 10,
          failRatio: 0,
          p95ResponseTime: 12,
          startedGeneration: 3,
        },
      ],
    });
  });

  it("keep five runs, the newest first", () => {
    let status: Parameters<typeof nextRun>[0] = over;
    for (let token = 1; token <= 8; token += 1) status = { ...over, ...nextRun(status, String(token)) };

    assert.deepEqual([status.run, status.history?.map(({ run }) => run)], [9, [8, 7, 6, 5, 4]]);
  });

  it("count a test of the Go operator as its first run", () => {
    assert.deepEqual(nextRun({ phase: "Failed" }, "a"), {
      run: 2,
      lastRerunToken: "a",
      history: [{ run: 1, phase: "Failed" }],
    });
  });
});
