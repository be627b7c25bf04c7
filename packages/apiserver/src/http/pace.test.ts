import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, nextTurn } from "@homeostat/core";
import { Pace } from "./pace.ts";

/** Returns a clock that advances by `readingMs` with each reading. */
function slowClock(readingMs: number): { clock: FakeClock; pace: Pace } {
  const clock = new FakeClock();
  let readings = 0;
  const monotonic = (): number => clock.monotonic() + readingMs * (readings += 1);
  return { clock, pace: new Pace({ monotonic, sleep: (ms) => clock.sleep(ms) }) };
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await nextTurn();
}

describe("Pace", () => {
  it("lets a fast writer continue after a few turns without sleeping", async () => {
    const { pace } = slowClock(0);
    pace.spend(() => undefined);

    await pace.next();
  });

  it("returns one promise to all callers of a round, and another in the next round", async () => {
    const { pace } = slowClock(0);
    const first = pace.next();

    assert.equal(pace.next(), first);
    await first;
    assert.notEqual(pace.next(), first);
  });

  it("waits for a multiple of the total time that the writes of a round took", async () => {
    const { clock, pace } = slowClock(0.125);
    let isOver = false;
    for (let i = 0; i < 3; i += 1) pace.spend(() => undefined);
    void pace.next().then(() => (isOver = true));
    await turns(10);

    await clock.advance(5);
    await turns(2);
    const wasOver = isOver;
    await clock.advance(1);
    await turns(2);

    assert.equal(wasOver, false);
    assert.equal(isOver, true);
  });

  it("never waits longer than 10 ms", async () => {
    const { clock, pace } = slowClock(10_000);
    let isOver = false;
    pace.spend(() => undefined);
    void pace.next().then(() => (isOver = true));
    await turns(10);

    await clock.advance(10);
    await turns(2);

    assert.equal(isOver, true);
  });
});
