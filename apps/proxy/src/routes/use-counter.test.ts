import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { UseCounter } from "./use-counter.ts";

describe("UseCounter", () => {
  it("adds up uses until they are taken, and takes back those that could not be reported", async () => {
    const clock = new FakeClock();
    const counter = new UseCounter(clock);
    counter.record("a");
    await clock.advance(1_000);
    counter.record("a");
    const lastUsedAt = new Date(clock.now()).toISOString();

    const taken = counter.take();
    assert.deepEqual(taken, [{ id: "a", count: 2, lastUsedAt }]);
    assert.equal(counter.isEmpty, true);
    counter.putBack(taken);
    counter.record("b");
    assert.deepEqual(
      counter.take().map(({ id, count }) => [id, count]),
      [
        ["a", 2],
        ["b", 1],
      ],
    );
  });

  it("has a limit", () => {
    const counter = new UseCounter(new FakeClock());
    for (let index = 0; index < 2_000; index += 1) counter.record(String(index));

    assert.equal(counter.take().length, 1_000);
  });
});
