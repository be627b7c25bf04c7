import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { once } from "./once.ts";

describe("once", () => {
  it("computes the value on first use, and then returns the same value", () => {
    let count = 0;
    const table = once(() => ({ number: (count += 1) }));
    assert.equal(count, 0);

    const first = table();

    assert.equal(table(), first);
    assert.equal(count, 1);
  });
});
