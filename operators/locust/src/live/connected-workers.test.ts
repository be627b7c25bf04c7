import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { snapshotOf, viewOf } from "./snapshots.fixture.test.ts";
import { connectedWorkers, missingWorkers } from "./live-view.ts";

describe("the workers of a run", () => {
  const over = snapshotOf({ state: "stopped" });

  it("are those that the master counts, however many there were before", () => {
    assert.equal(connectedWorkers(viewOf({ workers: 2 }), 3), 2);
  });

  it("are those it ended with once it is over, also for whoever looked only afterwards", () => {
    assert.equal(connectedWorkers(viewOf({ snapshot: over, workers: 3 }), undefined), 3);
    assert.equal(connectedWorkers(viewOf({ snapshot: over, workers: 0, startedAt: undefined }), 3), 3);
    assert.equal(connectedWorkers(viewOf({ snapshot: over, workers: 1 }), 1), 1);
  });

  it("are unknown before the master has told", () => {
    assert.equal(connectedWorkers(undefined, 3), undefined);
    assert.equal(connectedWorkers(viewOf({ snapshot: undefined }), 3), undefined);
    assert.equal(connectedWorkers(viewOf({ workers: undefined }), 3), undefined);
  });

  it("are missing as far as there are fewer than expected", () => {
    assert.deepEqual([missingWorkers(3, 5), missingWorkers(5, 5), missingWorkers(6, 5)], [2, 0, 0]);
    assert.equal(missingWorkers(undefined, 5), undefined);
  });
});
