import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { LogLimit } from "./log-limit.ts";

describe("the limit of the access log", () => {
  it("allows a burst of 500 lines, then 100 a second, and counts the others", async () => {
    const clock = new FakeClock();
    const limit = new LogLimit(clock);
    const take = (count: number): (number | false)[] => Array.from({ length: count }, () => limit.take());

    assert.deepEqual(take(501).slice(-2), [0, false]);
    await clock.advance(9);
    assert.deepEqual(take(2), [false, false]);
    await clock.advance(1);
    assert.deepEqual(take(2), [3, false]);
    await clock.advance(1_000);
    assert.equal(take(1_000).filter((each) => each !== false).length, 100);
    await clock.advance(3_600_000);
    assert.equal(take(1_000).filter((each) => each !== false).length, 500);
  });
});
