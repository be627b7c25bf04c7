import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { at, snapshotOf, totalRow } from "../testing/snapshots.ts";
import { hasEnded } from "./snapshot.ts";

describe("hasEnded", () => {
  const idle = [totalRow({ requests: 0 })];

  it("returns true if a master that had users is stopped", () => {
    assert.equal(hasEnded(snapshotOf({ state: "stopped", rows: idle }), at), true);
  });

  it("returns true for a stopped master with requests, if its users were not observed", () => {
    assert.equal(hasEnded(snapshotOf({ state: "stopped" }), undefined), true);
  });

  it("returns false while users run and before there were any", () => {
    assert.equal(hasEnded(snapshotOf({ state: "running" }), at), false);
    assert.equal(hasEnded(snapshotOf({ state: "stopped", rows: idle }), undefined), false);
    assert.equal(hasEnded(snapshotOf({ state: "stopped", rows: [] }), undefined), false);
  });
});
