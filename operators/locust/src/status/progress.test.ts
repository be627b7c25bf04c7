import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseStats } from "../live/snapshot.ts";
import { at, snapshotOf, totalRow, viewOf } from "../testing/snapshots.ts";
import { effectiveArguments } from "../api/effective-arguments.ts";
import { formatSeconds, parseSeconds } from "../api/status-values.ts";
import { progressOf, runPlan } from "./progress.ts";

const plan = { targetUsers: 10, runTimeSeconds: 120 };

describe("progressOf", () => {
  it("returns all fields of a running test", () => {
    const progress = progressOf({ view: viewOf(), plan });

    assert.deepEqual(progress, {
      state: "running",
      currentUsers: 10,
      peakUsers: 10,
      targetUsers: 10,
      totalDuration: "2m",
      duration: "1m",
      percent: 50,
      requestsPerSecond: 50,
      failuresPerSecond: 0.5,
      failPercent: 2,
      p50: 41,
      p95: 119,
      lastUpdated: "2026-01-01T12:00:00Z",
    });
  });

  it("omits unknown fields", () => {
    const snapshot = parseStats('{"state":"spawning","user_count":1}', at);

    const progress = progressOf({
      view: viewOf({ snapshot, startedAt: at, peakUsers: 1 }),
      plan: { targetUsers: undefined, runTimeSeconds: undefined },
    });

    assert.deepEqual(progress, {
      state: "spawning",
      currentUsers: 1,
      peakUsers: 1,
      duration: "0s",
      lastUpdated: "2026-01-01T12:00:00Z",
    });
  });

  it("returns the stored progress without a snapshot", () => {
    const stored = { state: "running" };

    assert.equal(progressOf({ view: viewOf({ snapshot: undefined }), plan, stored }), stored);
  });

  it("keeps the peak number of users after a restart", () => {
    const view = viewOf({ snapshot: snapshotOf({ userCount: 2 }), peakUsers: 2 });

    const progress = progressOf({ view, plan, stored: { state: "running", peakUsers: 12 } });

    assert.deepEqual([progress?.currentUsers, progress?.peakUsers, progress?.targetUsers], [2, 12, undefined]);
  });

  it("reports WaitingForWorkers until the run starts, whatever state Locust reports", () => {
    for (const state of ["ready", "stopped", "missing"]) {
      const snapshot = snapshotOf({ state, userCount: 0, rows: [totalRow({ requests: 0, failures: 0 })] });

      const progress = progressOf({ view: viewOf({ snapshot, startedAt: undefined, peakUsers: 0 }), plan });

      assert.deepEqual(
        [progress?.state, progress?.duration, progress?.percent],
        ["WaitingForWorkers", undefined, 0],
        state,
      );
    }
  });

  it("reports stopping from the request until Locust has stopped", () => {
    const stateOf = (state: string): string | undefined =>
      progressOf({ view: viewOf({ snapshot: snapshotOf({ state }) }), plan, isStopping: true })?.state;

    assert.deepEqual(["running", "cleanup", "stopped"].map(stateOf), ["stopping", "stopping", "stopped"]);
  });

  it("keeps the duration after the end and never exceeds 100 percent", () => {
    const first = progressOf({
      view: viewOf({ snapshot: snapshotOf({ state: "stopped", at: at + 63_000 }) }),
      plan,
    });
    const later = progressOf({
      view: viewOf({ snapshot: snapshotOf({ state: "stopped", at: at + 90_000 }) }),
      plan,
      stored: first,
    });

    assert.deepEqual([first?.duration, first?.percent], ["2m", 100]);
    assert.deepEqual([later?.duration, later?.percent], ["2m", 100]);
  });

  it("derives the start of the run from the status after a restart", () => {
    let stored = progressOf({ view: viewOf({ startedAt: at - 60_400, snapshot: snapshotOf({ at: at + 300 }) }), plan });
    assert.equal(stored?.duration, "1m1s");
    for (let seconds = 3; seconds <= 30; seconds += 3) {
      const view = viewOf({ startedAt: at + 2_700, snapshot: snapshotOf({ at: at + seconds * 1_000 + 77 * seconds }) });
      stored = progressOf({ view, plan, stored });
    }

    assert.equal(stored?.duration, "1m33s", "61 s and what has passed since, 32 s");
  });

  it("never returns a negative duration after clock changes", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 1e6 }), (jump, runTimeSeconds) => {
        const view = viewOf({ snapshot: snapshotOf({ at: at + jump }) });

        const progress = progressOf({ view, plan: { targetUsers: 1, runTimeSeconds } });

        const percent = progress?.percent ?? 0;
        assert.ok(percent >= 0 && percent <= 100, String(percent));
        assert.ok((parseSeconds(progress?.duration ?? "") ?? -1) >= 0, progress?.duration);
      }),
    );
  });

  it("omits the target if there are more users than configured, because a load shape decides", () => {
    assert.equal(progressOf({ view: viewOf({ peakUsers: 11 }), plan })?.targetUsers, undefined);
  });
});

describe("runPlan", () => {
  const cases: readonly (readonly [
    args: string[],
    isAutostart: boolean,
    users: number | undefined,
    seconds: number | undefined,
  ])[] = [
    [["--users", "50", "-t", "2m"], true, 50, 120],
    [[], true, 1, undefined],
    [[], false, undefined, undefined],
    [["-u", "$(USERS)"], true, undefined, undefined],
  ];

  for (const [args, isAutostart, users, seconds] of cases)
    it(`returns ${users} users for ${seconds} s with ${JSON.stringify(args)}${isAutostart ? "" : ", without autostart"}`, () => {
      assert.deepEqual(runPlan(effectiveArguments({ args }), { isAutostart }), {
        targetUsers: users,
        runTimeSeconds: seconds,
      });
    });
});

describe("formatSeconds and parseSeconds", () => {
  it("format hours, minutes and seconds", () => {
    const shown = [0, 45, 60, 150, 3_600, 3_725, -3, 1.9].map(formatSeconds);

    assert.deepEqual(shown, ["0s", "45s", "1m", "2m30s", "1h", "1h2m5s", "0s", "1s"]);
  });

  it("parse what they format", () => {
    fc.assert(
      fc.property(fc.nat(), (seconds) => {
        assert.equal(parseSeconds(formatSeconds(seconds)), seconds);
      }),
    );
    assert.deepEqual(["", "x", "5", "1m2", "-3s"].map(parseSeconds), Array.from({ length: 5 }));
  });
});
