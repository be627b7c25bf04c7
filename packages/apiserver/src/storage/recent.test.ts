import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Recent } from "./recent.ts";

describe("Recent", () => {
  it("evicts the least recently used entry", () => {
    const recent = new Recent<number>({ countMax: 2, lengthMax: 100 });
    recent.keep("a", 1);
    recent.keep("b", 2);
    recent.get("a");

    recent.keep("c", 3);

    assert.equal(recent.get("b"), undefined);
    assert.equal(recent.get("a"), 1);
    assert.equal(recent.get("c"), 3);
  });

  it("limits the total key length and rejects a key that exceeds it alone", () => {
    const recent = new Recent<number>({ countMax: 100, lengthMax: 10 });
    recent.keep("x".repeat(6), 1);

    recent.keep("y".repeat(6), 2);
    recent.keep("z".repeat(11), 3);

    assert.equal(recent.get("x".repeat(6)), undefined);
    assert.equal(recent.get("y".repeat(6)), 2);
    assert.equal(recent.get("z".repeat(11)), undefined);
  });

  it("counts a key once that is added again", () => {
    const recent = new Recent<number>({ countMax: 100, lengthMax: 10 });
    for (let i = 0; i < 5; i += 1) recent.keep("four", i);

    recent.keep("other", 9);

    assert.equal(recent.get("four"), 0);
  });
});
