import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, nextTurn, systemClock } from "@homeostat/core";
import { EventLoopYielder } from "./event-loop-yielder.ts";
import { WorkQueue } from "../queue/work-queue.ts";

/** A fake clock on which work takes time, too. */
class WorkClock extends FakeClock {
  workedMs = 0;
  override monotonic(): number {
    return super.monotonic() + this.workedMs;
  }
}

describe("EventLoopYielder", () => {
  it("requests a pause when a turn has lasted 20 ms, and not before", async () => {
    const clock = new WorkClock();
    const yielder = new EventLoopYielder(clock, { turnMsMax: 20 });

    assert.equal(yielder.pause(), undefined);
    clock.workedMs = 19;
    assert.equal(yielder.pause(), undefined);
    clock.workedMs = 20;
    const pause = yielder.pause();

    assert.ok(pause !== undefined);
    await pause;
    assert.equal(yielder.pause(), undefined, "a new turn");
    assert.equal(clock.pending, 0, "turns of the event loop do not depend on the clock");
  });

  it("counts the work between begin and the first pause of a turn", () => {
    const clock = new WorkClock();
    const yielder = new EventLoopYielder(clock, { turnMsMax: 20 });

    yielder.begin();
    clock.workedMs = 20;

    assert.ok(yielder.pause() !== undefined);
  });

  it("requests a pause after each piece of work that takes the whole time", async () => {
    const clock = new WorkClock();
    const yielder = new EventLoopYielder(clock, { turnMsMax: 20 });
    let pauses = 0;

    yielder.begin();
    for (let piece = 0; piece < 5; piece += 1) {
      clock.workedMs += 25;
      const pause = yielder.pause();
      if (pause === undefined) continue;
      pauses += 1;
      await pause;
    }

    assert.equal(pauses, 5);
  });

  it("starts a new budget in every turn", async () => {
    const clock = new WorkClock();
    const yielder = new EventLoopYielder(clock, { turnMsMax: 20 });

    yielder.begin();
    clock.workedMs = 15;
    await nextTurn();
    yielder.begin();
    clock.workedMs = 30;

    assert.equal(yielder.pause(), undefined);
  });

  it("makes workers that never wait yield to the event loop", async () => {
    const clock = new WorkClock();
    const queue = new WorkQueue({ name: "test", clock });
    for (let i = 0; i < 100; i += 1) queue.add(`key ${i}`);
    let count = 0;
    const work = async (): Promise<void> => {
      for await (const item of queue.take()) {
        count += 1;
        clock.workedMs += 1;
        queue.done(item);
      }
    };
    const workers = Promise.all([work(), work()]);

    const counts: number[] = [];
    for (let turn = 0; turn < 1000 && queue.waiting > 0; turn += 1) {
      await nextTurn();
      counts.push(count);
    }

    queue.close();
    await workers;
    assert.ok(
      counts.every((total, i) => total - (counts[i - 1] ?? 0) <= 45),
      `in one turn too many: ${counts.join(", ")}`,
    );
    assert.equal(counts.at(-1), 100);
  });

  it("lets a real timer fire before a long series of keys has been processed", async () => {
    const queue = new WorkQueue({ name: "test", clock: systemClock });
    for (let i = 0; i < 1000; i += 1) queue.add(`key ${i}`);
    let left = 1000;
    let leftAtTimer: number | undefined;
    systemClock.schedule(5, () => (leftAtTimer = left));

    for await (const item of queue.take()) {
      const until = systemClock.monotonic() + 0.1;
      while (systemClock.monotonic() < until);
      queue.done(item);
      left -= 1;
      if (left === 0) queue.close();
    }

    assert.ok(leftAtTimer !== undefined && leftAtTimer > 0, "the timer had to wait for the last key");
  });
});
