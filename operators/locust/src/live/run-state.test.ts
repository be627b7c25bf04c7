import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { advance, isEnding, type RunState, initialRunState } from "./run-state.ts";
import type { Snapshot } from "./snapshot.ts";
import { snapshotOf, totalRow } from "../testing/snapshots.ts";

function snapshot(state: string, requests: number, users = 0, at = 1_000, workerCount?: number): Snapshot {
  return snapshotOf({ at, state, userCount: users, workerCount, rows: [totalRow({ requests, failures: 0 })] });
}

function play(...steps: readonly (readonly [atMs: number, snapshot: Snapshot])[]): RunState {
  return steps.reduce((state, [atMs, one]) => advance(state, one, atMs), initialRunState);
}

describe("advance", () => {
  it("records when users were first observed, and their peak", () => {
    const state = play(
      [0, snapshot("ready", 0, 0, 10)],
      [1, snapshot("spawning", 0, 2, 20)],
      [2, snapshot("running", 5, 9, 30)],
      [3, snapshot("running", 6, 4, 40)],
    );

    assert.deepEqual([state.startedAt, state.peakUsers, state.isFinal], [20, 9, false]);
  });

  it("does not treat a master without workers, which reports stopped, as ended", () => {
    const state = play([0, snapshot("stopped", 0)], [5_000, snapshot("stopped", 0)], [9_000, snapshot("stopped", 0)]);

    assert.deepEqual([state.stopped, state.isFinal], [undefined, false]);
  });

  it("marks a stopped run as final when the number of requests is unchanged for four seconds", () => {
    const running = snapshot("running", 90, 5);
    const before = play([0, running], [1_000, snapshot("stopped", 100)], [4_999, snapshot("stopped", 100)]);
    const after = play([0, running], [1_000, snapshot("stopped", 100)], [5_000, snapshot("stopped", 100)]);

    assert.deepEqual([before.isFinal, after.isFinal], [false, true]);
  });

  it("counts the four seconds from the last change, and marks the third snapshot as final in any case", () => {
    const state = play(
      [0, snapshot("running", 90, 5)],
      [1_000, snapshot("stopped", 100)],
      [5_500, snapshot("stopped", 110)],
    );
    const third = advance(state, snapshot("stopped", 120), 7_500);

    assert.deepEqual([state.isFinal, third.isFinal], [false, true]);
  });

  it("keeps the number of workers at the end of the run", () => {
    const running = snapshot("running", 90, 5, 1_000, 2);
    const left = snapshot("stopped", 100, 0, 1_000, 0);

    assert.equal(play([0, running], [1_000, snapshot("running", 95, 5, 1_000, 1)]).workers, 1);
    assert.equal(play([0, running], [1_000, left], [2_000, left]).workers, 2);
    assert.equal(play([0, running], [1_000, snapshot("stopped", 100)]).workers, 2);
    assert.equal(play([0, left]).workers, 0);
  });

  it("recognizes an ended run by its requests if its start was not observed", () => {
    const state = play([0, snapshot("stopped", 100)], [4_000, snapshot("stopped", 100)]);

    assert.deepEqual([state.startedAt, state.isFinal], [undefined, true]);
  });

  it("is no longer final when a user starts another run in the web UI", () => {
    const state = play(
      [0, snapshot("running", 90, 5)],
      [1_000, snapshot("stopped", 100)],
      [6_000, snapshot("stopped", 100)],
      [9_000, snapshot("spawning", 0, 1)],
    );

    assert.equal(state.isFinal, false);
  });

  it("reports the end as near from stopping until final", () => {
    const running = play([0, snapshot("running", 90, 5)]);
    const stopped = advance(running, snapshot("stopped", 100), 1_000);
    const final = advance(stopped, snapshot("stopped", 100), 5_000);

    assert.deepEqual(
      [
        isEnding(running, snapshot("running", 90)),
        isEnding(running, snapshot("stopping", 90)),
        isEnding(stopped, snapshot("stopped", 100)),
        isEnding(final, snapshot("stopped", 100)),
        isEnding(initialRunState, snapshot("stopped", 0)),
      ],
      [false, true, true, false, false],
    );
  });
});
