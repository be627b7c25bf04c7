import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { slowStart } from "./slow-start.ts";

describe("slowStart", () => {
  it("calls the function once for each index", async () => {
    const seen: number[] = [];

    const { successes } = await slowStart(11, async (index) => void seen.push(index));

    assert.equal(successes, 11);
    assert.deepEqual(seen, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("stops after the first batch with a failure", async () => {
    let calls = 0;

    const { successes, failure } = await slowStart(100, async (index) => {
      calls += 1;
      if (index === 4) throw new Error("no");
    });

    assert.equal(calls, 7);
    assert.equal(successes, 6);
    assert.match(String(failure), /no/);
  });
});
