import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatTime } from "@homeostat/core";
import { at, snapshotOf, viewOf } from "../testing/snapshots.ts";
import type { BrokenThreshold, Threshold } from "../api/locust-test.ts";
import type { LiveView } from "../live/live-view.ts";
import type { Snapshot } from "../live/snapshot.ts";
import { checkAborts } from "./thresholds.ts";

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

/** Checks a series of snapshots. Only the status carries over from one check to the next, as after restarts of the operator. */
function watching(thresholds: readonly Threshold[]): (view: LiveView | undefined) => boolean {
  let remembered: readonly BrokenThreshold[] = [];
  return (view) => {
    const { hit, broken } = checkAborts({ thresholds, missing: 0, view, broken: remembered });
    remembered = broken;
    return hit !== undefined;
  };
}

describe("a threshold with abortOnFail", () => {
  it("stops the run when it fails for holdSeconds", () => {
    const check = watching([threshold]);

    assert.deepEqual([check(bad(0)), check(bad(9)), check(bad(10))], [false, false, true]);
  });

  it("stops the run immediately without holdSeconds", () => {
    assert.equal(watching([{ ...threshold, holdSeconds: 0 }])(bad(0)), true);
  });

  it("restarts its hold period when it passes in between", () => {
    const check = watching([threshold]);

    assert.deepEqual(
      [check(bad(0)), check(bad(8, { failRatio: 0.1 })), check(bad(12)), check(bad(21)), check(bad(22))],
      [false, false, false, false, true],
    );
  });

  it("does not count as failing before the first failing snapshot", () => {
    const { broken } = checkAborts({ thresholds: [threshold], missing: 0, view: bad(0.4), broken: [] });

    assert.deepEqual(broken, [{ threshold: "failRatio of Aggregated, max 0.1", since: formatTime(at + 1_000) }]);
  });

  it("restarts its hold period when its recorded start is in the future because a clock was set back", () => {
    const name = "failRatio of Aggregated, max 0.1";
    const recorded = (seconds: number): string | undefined => {
      const broken = [{ threshold: name, since: formatTime(at + seconds * 1_000) }];
      return checkAborts({ thresholds: [threshold], missing: 0, view: bad(0), broken }).broken[0]?.since;
    };

    assert.equal(recorded(3_600), formatTime(at));
    assert.equal(recorded(5), formatTime(at + 5_000), "the estimated time of another replica may be a little ahead");
  });

  it("keeps its recorded state while there is no fresh snapshot", () => {
    const broken = [{ threshold: "failRatio of Aggregated, max 0.1", since: formatTime(at) }];
    const input = { thresholds: [threshold], missing: 0, broken };

    for (const view of [undefined, { ...bad(90), isFresh: false }, { ...bad(90), startedAt: undefined }]) {
      assert.deepEqual(checkAborts({ ...input, view }), { hit: undefined, broken });
    }
  });

  it("is not evaluated without abortOnFail, before or after the run, or with outdated statistics", () => {
    const now = { ...threshold, holdSeconds: 0 };

    assert.equal(watching([{ ...now, abortOnFail: false }])(bad(0)), false);
    const check = watching([now]);
    assert.equal(check(undefined), false);
    assert.equal(check({ ...bad(0), startedAt: undefined }), false);
    assert.equal(check(bad(0, { state: "stopped" })), false);
    assert.equal(check({ ...bad(0), isFresh: false }), false);
    assert.equal(check(bad(0)), true);
  });

  it("is evaluated independently of other thresholds and of its index in the list", () => {
    const other: Threshold = { ...threshold, metric: "missingWorkers", max: 0, holdSeconds: 5 };
    const first = checkAborts({ thresholds: [threshold, other], missing: 1, view: bad(0), broken: [] });
    const input = { thresholds: [other, threshold], missing: 1, broken: first.broken };

    assert.deepEqual(
      first.broken.map((each) => each.threshold),
      ["failRatio of Aggregated, max 0.1", "missingWorkers, max 0"],
    );
    assert.equal(checkAborts({ ...input, view: bad(6) }).hit?.metric, "missingWorkers");
    assert.equal(checkAborts({ ...input, missing: 0, view: bad(10) }).hit?.metric, "failRatio");
  });
});
