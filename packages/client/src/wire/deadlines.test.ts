import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import * as fc from "fast-check";
import { type Deadline, Deadlines } from "./deadlines.ts";

describe("Deadlines", () => {
  it("are missed once at their time unless they are removed before", async () => {
    const requestTimes = fc.record({ ms: fc.integer({ min: 1, max: 50 }), metAfter: fc.integer({ min: 0, max: 60 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(requestTimes, { maxLength: 20 }), async (requests) => {
        const clock = new FakeClock();
        const deadlines = new Deadlines(clock);
        const missed: [index: number, at: number][] = [];
        const all = requests.map(({ ms }, i): Deadline => {
          const deadline = {
            at: deadlines.now() + ms,
            index: -1,
            missed: () => void missed.push([i, clock.monotonic()]),
          };
          deadlines.add(deadline);
          return deadline;
        });

        for (let now = 0; now <= 60; now += 1) {
          for (const [i, { metAfter }] of requests.entries()) {
            const deadline = all[i];
            if (metAfter === now && deadline !== undefined) deadlines.delete(deadline);
          }
          await clock.advance(1);
        }

        const expected = [...requests.entries()].filter(([, { ms, metAfter }]) => ms <= metAfter);
        assert.deepEqual(
          missed.toSorted(([a], [b]) => a - b),
          expected.map(([i, { ms }]) => [i, ms]),
        );
        assert.equal(clock.pending, 0);
      }),
      { numRuns: 100 },
    );
  });

  it("share one timer, which is canceled with the last of them", () => {
    const clock = new FakeClock();
    const deadlines = new Deadlines(clock);
    const some = [30, 10, 20].map((at): Deadline => ({ at, index: -1, missed: () => assert.fail("it was removed") }));

    for (const deadline of some) deadlines.add(deadline);

    assert.equal(clock.pending, 1);
    assert.equal(clock.nextDueMs, 10);
    for (const deadline of some) deadlines.delete(deadline);
    assert.equal(clock.pending, 0);
  });
});
