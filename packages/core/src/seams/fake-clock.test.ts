import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { DeadlineError } from "../errors/deadline-error.ts";
import { FakeClock } from "./fake-clock.ts";

describe("FakeClock", () => {
  it("does not move until it is advanced", async () => {
    const clock = new FakeClock({ now: 1_000 });

    assert.equal(clock.now(), 1_000);
    assert.equal(clock.monotonic(), 0);
    await clock.advance(250);

    assert.equal(clock.now(), 1_250);
    assert.equal(clock.monotonic(), 250);
  });

  it("fires timers by time, and in the order of their creation for the same time", async () => {
    const clock = new FakeClock();
    const ran: string[] = [];
    for (const [name, ms] of [
      ["c", 30],
      ["a", 10],
      ["b1", 20],
      ["b2", 20],
      ["late", 31],
    ] as const) {
      clock.schedule(ms, () => ran.push(`${name}@${clock.monotonic()}`));
    }

    await clock.advance(30);

    assert.deepEqual(ran, ["a@10", "b1@20", "b2@20", "c@30"]);
    assert.equal(clock.pending, 1);
    assert.equal(clock.nextDueMs, 1);
  });

  it("fires timers in order for random additions and cancellations", async () => {
    const action = fc.record({ ms: fc.integer({ min: 0, max: 20 }), isCancelled: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        const clock = new FakeClock();
        const ran: number[] = [];
        const timers = actions.map(({ ms }, i) => clock.schedule(ms, () => ran.push(i)));
        for (const [i, { isCancelled }] of actions.entries()) if (isCancelled) timers[i]?.[Symbol.dispose]();

        await clock.advance(20);

        const expected = [...actions.entries()]
          .filter(([, { isCancelled }]) => !isCancelled)
          .sort(([i, a], [j, b]) => a.ms - b.ms || i - j)
          .map(([i]) => i);
        assert.deepEqual(ran, expected);
        assert.equal(clock.pending, 0);
      }),
      { numRuns: 100 },
    );
  });

  it("lets a sleeping loop run as often as the time allows, with any number of awaits", async () => {
    const clock = new FakeClock();
    const rounds: number[] = [];
    const stop = new AbortController();
    const loop = async (): Promise<void> => {
      for (;;) {
        await clock.sleep(100, stop.signal);
        for (let i = 0; i < 50; i += 1) await Promise.resolve();
        rounds.push(clock.monotonic());
      }
    };
    const done = loop();

    await clock.advance(350);

    assert.deepEqual(rounds, [100, 200, 300]);
    stop.abort(new Error("enough"));
    await assert.rejects(done, /enough/);
    assert.equal(clock.pending, 0);
  });

  it("runs the code that a timer resumes before the next timer, even for the same time", async () => {
    const clock = new FakeClock();
    const events: string[] = [];
    const sleeper = async (name: string): Promise<void> => {
      await clock.sleep(10);
      events.push(`${name} awake`);
      for (let i = 0; i < 20; i += 1) await Promise.resolve();
      events.push(`${name} done`);
    };
    const both = Promise.all([sleeper("a"), sleeper("b")]);

    await clock.advance(10);

    await both;
    assert.deepEqual(events, ["a awake", "a done", "b awake", "b done"]);
  });

  it("gives a deterministic order of events", async () => {
    const run = async (): Promise<string[]> => {
      const clock = new FakeClock();
      const events: string[] = [];
      const worker = async (id: number): Promise<void> => {
        for (let round = 0; round < 5; round += 1) {
          await clock.sleep((id * 7 + round * 3) % 11);
          events.push(`${id}.${round}@${clock.monotonic()}`);
        }
      };
      const all = Promise.all([1, 2, 3, 4, 5].map(worker));
      await clock.advance(100);
      await all;
      return events;
    };

    const first = await run();

    assert.equal(first.length, 25);
    for (let i = 0; i < 5; i += 1) assert.deepEqual(await run(), first);
  });

  it("fires delays of zero and less at the next advance", async () => {
    const clock = new FakeClock();
    const ran: number[] = [];
    for (const ms of [0, -5, -Infinity]) clock.schedule(ms, () => ran.push(ms));

    assert.deepEqual(ran, [], "never before the caller has returned");
    await clock.advance(0);

    assert.deepEqual(ran, [0, -5, -Infinity]);
  });

  it("never fires infinite delays, but counts them", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const sleeping = clock.sleep(Infinity, stop.signal);

    await clock.advance(2 ** 40);
    await clock.runUntilIdle();

    assert.equal(clock.pending, 1);
    assert.equal(clock.nextDueMs, undefined);
    stop.abort(new Error("stop"));
    await assert.rejects(sleeping, /stop/);
    assert.equal(clock.pending, 0);
  });

  it("supports delays beyond the limit of Node's timers", async () => {
    const clock = new FakeClock();
    let isAwake = false;
    const sleeping = clock.sleep(2 ** 40).then(() => (isAwake = true));

    await clock.advance(2 ** 40 - 1);
    assert.equal(isAwake, false);
    await clock.advance(1);

    await sleeping;
    assert.equal(isAwake, true);
  });

  it("refuses NaN and negative advances", async () => {
    const clock = new FakeClock();

    assert.throws(() => clock.schedule(Number.NaN, () => {}), { code: "ARGUMENT" });
    assert.throws(() => clock.timeout(Number.NaN), { code: "ARGUMENT" });
    await assert.rejects(clock.sleep(Number.NaN), { code: "ARGUMENT" });
    await assert.rejects(clock.advance(-1), { code: "ARGUMENT" });
    await assert.rejects(clock.advance(Number.NaN), { code: "ARGUMENT" });
    await assert.rejects(clock.advance(Infinity), { code: "ARGUMENT" });
    await assert.rejects(clock.advanceTo(clock.now() - 1), { code: "ARGUMENT" });
    assert.equal(clock.pending, 0);
  });

  it("rejects a sleep with the signal's reason and leaves neither timer nor listener", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const reason = new Error("shutting down");
    const sleeping = clock.sleep(100, stop.signal);

    stop.abort(reason);

    await assert.rejects(sleeping, reason);
    await assert.rejects(clock.sleep(100, stop.signal), reason, "aborted before it began");
    assert.equal(clock.pending, 0);
    assert.equal(getEventListeners(stop.signal, "abort").length, 0);
  });

  it("removes its listener from the signal after the sleep", async () => {
    const clock = new FakeClock();
    const { signal } = new AbortController();
    const sleeping = clock.sleep(100, signal);

    assert.equal(getEventListeners(signal, "abort").length, 1);
    await clock.advance(100);

    await sleeping;
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });

  it("aborts a timeout signal with a DeadlineError", async () => {
    const clock = new FakeClock();
    const { signal } = clock.timeout(5_000);

    await clock.advance(4_999);
    assert.equal(signal.aborted, false);
    await clock.advance(1);

    assert.ok(signal.reason instanceof DeadlineError);
    assert.equal(signal.reason.timeoutMs, 5_000);
    assert.equal(signal.reason.retryable, true);
  });

  it("removes a disposed timeout", async () => {
    const clock = new FakeClock();
    let signal;
    {
      using timeout = clock.timeout(5_000);
      ({ signal } = timeout);
    }

    assert.equal(clock.pending, 0);
    await clock.advance(10_000);

    assert.equal(signal.aborted, false);
  });

  it("advances to a time of day, and jumps only the time of day", async () => {
    const clock = new FakeClock({ now: Date.UTC(2026, 5, 1) });
    let isAwake = false;
    clock.schedule(1_000, () => (isAwake = true));

    clock.jump(-3_600_000);
    assert.equal(clock.now(), Date.UTC(2026, 4, 31, 23));
    assert.equal(clock.monotonic(), 0);
    await clock.advanceTo(Date.UTC(2026, 4, 31, 23, 0, 1));

    assert.equal(isAwake, true, "the timer did not notice the jump");
    assert.equal(clock.monotonic(), 1_000);
  });

  it("fires one timer at a time, or all until none is left", async () => {
    const clock = new FakeClock();
    const ran: number[] = [];
    const chain = async (): Promise<void> => {
      for (let i = 0; i < 4; i += 1) {
        await clock.sleep(60_000);
        ran.push(clock.monotonic());
      }
    };
    const done = chain();

    assert.equal(await clock.runNext(), true);
    assert.deepEqual(ran, [60_000]);
    await clock.runUntilIdle();

    await done;
    assert.deepEqual(ran, [60_000, 120_000, 180_000, 240_000]);
    assert.equal(await clock.runNext(), false);
  });

  it("throws when timers repeat forever", async () => {
    const clock = new FakeClock();
    const again = (): void => void clock.schedule(1_000, again);
    again();

    await assert.rejects(clock.runUntilIdle({ timersMax: 50 }), { code: "FAKE_CLOCK", message: /50 timers fired/ });
  });

  it("throws when code sleeps for 0 ms in a loop", async () => {
    const clock = new FakeClock();
    const again = (): void => void clock.schedule(0, again);
    again();

    await assert.rejects(clock.advance(1), { code: "FAKE_CLOCK", message: /without time moving/ });
  });

  it("allows many timers at the same time", async () => {
    const clock = new FakeClock();
    let count = 0;
    for (let i = 0; i < 20_000; i += 1) clock.schedule(10, () => (count += 1));

    await clock.advance(10);

    assert.equal(count, 20_000);
  });

  it("refuses concurrent advances", async () => {
    const clock = new FakeClock();
    const first = clock.advance(10);

    await assert.rejects(clock.advance(10), { code: "FAKE_CLOCK" });

    await first;
    await clock.advance(1);
    assert.equal(clock.monotonic(), 11);
  });

  it("throws the error of a timer at the time it was due", async () => {
    const clock = new FakeClock();
    clock.schedule(5, () => {
      throw new Error("broken");
    });

    await assert.rejects(clock.advance(10), /broken/);

    assert.equal(clock.monotonic(), 5);
    await clock.advance(1);
  });

  it("allows as many turns of the event loop as requested", async () => {
    const clock = new FakeClock({ turnsMin: 4 });
    let isDone = false;
    clock.schedule(1, () => setImmediate(() => setImmediate(() => (isDone = true))));

    await clock.advance(1);

    assert.equal(isDone, true);
  });
});
