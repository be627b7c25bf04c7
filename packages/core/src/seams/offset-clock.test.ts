import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError } from "../errors/argument-error.ts";
import { FakeClock } from "./fake-clock.ts";
import { OffsetClock } from "./offset-clock.ts";

describe("OffsetClock", () => {
  it("differs from its clock in the time of day only", async () => {
    const base = new FakeClock();
    const clock = new OffsetClock(base, 3_600_000);
    const fired: number[] = [];
    using _ = clock.schedule(1_000, () => fired.push(clock.monotonic()));
    using timeout = clock.timeout(1_500);

    await base.advance(2_000);
    await Promise.all([clock.sleep(500), base.advance(500)]);

    assert.equal(clock.now(), base.now() + 3_600_000);
    assert.equal(clock.monotonic(), base.monotonic());
    assert.deepEqual(fired, [1_000]);
    assert.equal(timeout.signal.aborted, true);
  });

  it("jumps without affecting monotonic time, timers or its clock", async () => {
    const base = new FakeClock();
    const clock = new OffsetClock(base, 0);
    let fired = 0;
    using _ = clock.schedule(1_000, () => (fired += 1));

    clock.jump(7_200_000);
    clock.jump(-3_600_000);
    await base.advance(999);

    assert.equal(clock.now(), base.now() + 3_600_000);
    assert.equal(clock.monotonic(), 999);
    assert.equal(fired, 0);
  });

  it("refuses an offset that is not finite", () => {
    assert.throws(() => new OffsetClock(new FakeClock(), Number.NaN), ArgumentError);
    assert.throws(() => new OffsetClock(new FakeClock(), 0).jump(Infinity), ArgumentError);
  });
});
