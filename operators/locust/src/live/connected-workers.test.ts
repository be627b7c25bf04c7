import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { snapshotOf, viewOf } from "../testing/snapshots.ts";
import { connectedWorkers, missingWorkers } from "./live-view.ts";

describe("connectedWorkers and missingWorkers", () => {
  const over = snapshotOf({ state: "stopped" });

  it("return the master's count during the run", () => {
    assert.equal(connectedWorkers(viewOf({ workers: 2 }), 3), 2);
  });

  it("return the largest count after the end of the run, also if the operator started later", () => {
    assert.equal(connectedWorkers(viewOf({ snapshot: over, workers: 3 }), undefined), 3);
    assert.equal(connectedWorkers(viewOf({ snapshot: over, workers: 0, startedAt: undefined }), 3), 3);
    assert.equal(connectedWorkers(viewOf({ snapshot: over, workers: 1 }), 1), 1);
  });

  it("return undefined before the first snapshot", () => {
    assert.equal(connectedWorkers(undefined, 3), undefined);
    assert.equal(connectedWorkers(viewOf({ snapshot: undefined }), 3), undefined);
    assert.equal(connectedWorkers(viewOf({ workers: undefined }), 3), undefined);
  });

  it("return how many workers are missing", () => {
    assert.deepEqual([missingWorkers(3, 5), missingWorkers(5, 5), missingWorkers(6, 5)], [2, 0, 0]);
    assert.equal(missingWorkers(undefined, 5), undefined);
  });
});
