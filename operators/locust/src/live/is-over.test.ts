import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isOver } from "./is-over.ts";
import { at, snapshotOf, totalRow } from "./snapshots.fixture.test.ts";

describe("the end of a run", () => {
  const idle = [totalRow({ requests: 0 })];

  it("is when a master that had users has stopped", () => {
    assert.equal(isOver(snapshotOf({ state: "stopped", rows: idle }), at), true);
  });

  it("is known by the requests to whoever has not seen the users", () => {
    assert.equal(isOver(snapshotOf({ state: "stopped" }), undefined), true);
  });

  it("has not come while users work, nor before there were any", () => {
    assert.equal(isOver(snapshotOf({ state: "running" }), at), false);
    assert.equal(isOver(snapshotOf({ state: "stopped", rows: idle }), undefined), false);
    assert.equal(isOver(snapshotOf({ state: "stopped", rows: [] }), undefined), false);
  });
});
