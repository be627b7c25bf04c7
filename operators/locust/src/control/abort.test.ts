import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Threshold } from "../api/locust-test.ts";
import type { LiveView, Snapshot } from "../reconcile/ports.ts";
import { at, snapshotOf, viewOf } from "../result/snapshots.fixture.test.ts";
import { AbortWatch } from "./abort.ts";

const threshold: Threshold = {
  metric: "failRatio",
  name: "Aggregated",
  max: 0.1,
  abortOnFail: true,
  holdSeconds: 10,
  minRequests: 0,
};
const bad = (seconds: number, changes: Partial<Snapshot> = {}): LiveView =>
  viewOf({ snapshot: snapshotOf({ at: at + seconds * 1_000, failRatio: 0.5, ...changes }) });

function watching(thresholds: readonly Threshold[]): (view: LiveView | undefined, run?: string) => boolean {
  const watch = new AbortWatch();
  return (view, run = "u1/1") =>
    watch.check({ key: "shop/smoke", run, thresholds, expectedWorkers: 3, view }) !== undefined;
}

describe("a threshold with abortOnFail", () => {
  it("ends the run when it was broken for holdSeconds", () => {
    const check = watching([threshold]);

    assert.deepEqual([check(bad(0)), check(bad(9)), check(bad(10))], [false, false, true]);
  });

  it("ends the run at once without holdSeconds", () => {
    assert.equal(watching([{ ...threshold, holdSeconds: 0 }])(bad(0)), true);
  });

  it("begins to count anew when it was kept in between", () => {
    const check = watching([threshold]);

    assert.deepEqual(
      [check(bad(0)), check(bad(8, { failRatio: 0.1 })), check(bad(12)), check(bad(21)), check(bad(22))],
      [false, false, false, false, true],
    );
  });

  it("counts for another run from its beginning", () => {
    const check = watching([threshold]);

    assert.deepEqual([check(bad(0)), check(bad(11), "u1/2"), check(bad(12), "u2/2")], [false, false, false]);
  });

  it("is not looked at without abortOnFail, before the run, after it, or by old numbers", () => {
    const now = { ...threshold, holdSeconds: 0 };

    assert.equal(watching([{ ...now, abortOnFail: false }])(bad(0)), false);
    const check = watching([now]);
    assert.equal(check(undefined), false);
    assert.equal(check({ ...bad(0), begunAt: undefined }), false);
    assert.equal(check(bad(0, { state: "stopped" })), false);
    assert.equal(check({ ...bad(0), isFresh: false }), false);
    assert.equal(check(bad(0)), true);
  });

  it("is judged beside others, each for itself", () => {
    const other: Threshold = { ...threshold, metric: "missingWorkers", max: 0, holdSeconds: 0 };
    const watch = new AbortWatch();
    const input = { key: "shop/smoke", run: "u1/1", thresholds: [threshold, other], expectedWorkers: 4 };

    assert.equal(watch.check({ ...input, view: bad(0) })?.metric, "missingWorkers");
    assert.equal(watch.check({ ...input, expectedWorkers: 3, view: bad(10) })?.metric, "failRatio");
    watch.forget("shop/smoke");
    assert.equal(watch.check({ ...input, expectedWorkers: 3, view: bad(20) }), undefined, "forgotten");
  });
});
