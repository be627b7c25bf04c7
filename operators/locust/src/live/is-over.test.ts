import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { at, snapshotOf, totalRow } from "./snapshots.fixture.test.ts";
import { hasEnded } from "./snapshot.ts";

describe("the end of a run", () => {
  const idle = [totalRow({ requests: 0 })];

  it("is when a master that had users has stopped", () => {
    assert.equal(hasEnded(snapshotOf({ state: "stopped", rows: idle }), at), true);
  });

  it("is known by the requests to whoever has not seen the users", () => {
    assert.equal(hasEnded(snapshotOf({ state: "stopped" }), undefined), true);
  });

  it("has not come while users work, nor before there were any", () => {
    assert.equal(hasEnded(snapshotOf({ state: "running" }), at), false);
    assert.equal(hasEnded(snapshotOf({ state: "stopped", rows: idle }), undefined), false);
    assert.equal(hasEnded(snapshotOf({ state: "stopped", rows: [] }), undefined), false);
  });
});
