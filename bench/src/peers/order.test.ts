import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { orderOfRounds } from "./order.ts";

describe("the order of rounds", () => {
  it("contains every runtime once per round", () => {
    for (const round of orderOfRounds(["a", "b", "c", "d"], 9)) {
      assert.deepEqual([...round].sort(), ["a", "b", "c", "d"]);
    }
  });

  it("starts each round with a different runtime", () => {
    const firsts = orderOfRounds(["a", "b", "c"], 4).map(([first]) => first);

    assert.deepEqual(firsts, ["a", "b", "c", "a"]);
  });

  it("does not let a runtime always follow the same one", () => {
    const [one, two] = orderOfRounds(["a", "b", "c", "d"], 2);

    assert.deepEqual(one, ["a", "b", "c", "d"]);
    assert.deepEqual(two, ["b", "a", "d", "c"]);
  });

  it("handles an empty list and a single runtime", () => {
    assert.deepEqual(orderOfRounds([], 2), [[], []]);
    assert.deepEqual(orderOfRounds(["a"], 2), [["a"], ["a"]]);
  });
});
