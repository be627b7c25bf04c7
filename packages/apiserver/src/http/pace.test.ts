import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, nextTurn } from "@homeostat/core";
import { Pace } from "./pace.ts";

/** A clock on which each look takes as long as is said. */
function slowClock(lookMs: number): { clock: FakeClock; pace: Pace } {
  const clock = new FakeClock();
  let looked = 0;
  const monotonic = (): number => clock.monotonic() + lookMs * (looked += 1);
  return { clock, pace: new Pace({ monotonic, sleep: (ms) => clock.sleep(ms) }) };
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await nextTurn();
}

describe("Pace", () => {
  it("lets a quick writer go on after a few turns, without any time", async () => {
    const { pace } = slowClock(0);
    pace.spend(() => undefined);

    await pace.next();
  });

  it("gives all who wait the same promise, and the next round another", async () => {
    const { pace } = slowClock(0);
    const first = pace.next();

    assert.equal(pace.next(), first);
    await first;
    assert.notEqual(pace.next(), first);
  });

  it("waits several times as long as the writes of a round took together", async () => {
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

  it("never waits longer than a hundredth of a second", async () => {
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
