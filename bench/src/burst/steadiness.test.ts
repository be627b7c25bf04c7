import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { steadinessOf } from "./steadiness.ts";

describe("steadinessOf", () => {
  it("compares the first share with the last", () => {
    const steady = Array.from({ length: 10 }, (_, n) => (n + 1) / 10);
    const falling = [0.1, 0.2, 0.3, 0.4, 0.6, 0.8];

    assert.equal(steadinessOf(steady, 5).slowdown.toFixed(6), "1.000000");
    assert.deepEqual(
      Object.values(steadinessOf(falling, 2)).map((value) => value.toFixed(3)),
      ["10.000", "5.000", "2.000"],
    );
  });

  it("refuses shares that overlap", () => {
    assert.throws(() => steadinessOf([1, 2, 3], 2), RangeError);
    assert.throws(() => steadinessOf([], 0), RangeError);
  });
});
