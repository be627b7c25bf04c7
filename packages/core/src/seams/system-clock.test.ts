import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { DeadlineError } from "../errors/deadline-error.ts";
import { systemClock } from "./system-clock.ts";

describe("systemClock", () => {
  it("returns the time of day and monotonic time", () => {
    const before = Date.now();

    const now = systemClock.now();

    assert.ok(now >= before && now <= Date.now());
    assert.ok(systemClock.monotonic() <= systemClock.monotonic());
  });

  it("sleeps at least as long as requested, by its own monotonic time", async () => {
    for (const ms of [0, 1, 7.5, -3]) {
      const start = systemClock.monotonic();

      await systemClock.sleep(ms);

      assert.ok(systemClock.monotonic() - start >= ms, `${ms} ms`);
    }
  });

  it("rejects a sleep with the signal's reason at once, and removes its listener", async () => {
    const stop = new AbortController();
    const reason = new Error("stop");
    const start = systemClock.monotonic();
    const sleeping = systemClock.sleep(60_000, stop.signal);

    stop.abort(reason);

    await assert.rejects(sleeping, reason);
    assert.ok(systemClock.monotonic() - start < 30_000);
    assert.equal(getEventListeners(stop.signal, "abort").length, 0);
  });

  it("aborts a timeout signal with a DeadlineError unless it was disposed", async () => {
    const timeout = systemClock.timeout(1);
    const other = systemClock.timeout(1);
    other[Symbol.dispose]();

    await systemClock.sleep(20);

    assert.ok(timeout.signal.reason instanceof DeadlineError);
    assert.equal(other.signal.aborted, false);
  });

  it("calls a scheduled function after its caller has returned, unless it was disposed", async () => {
    const ran: string[] = [];
    systemClock.schedule(0, () => ran.push("kept"));
    systemClock.schedule(0, () => ran.push("cancelled"))[Symbol.dispose]();

    assert.deepEqual(ran, []);
    await systemClock.sleep(10);

    assert.deepEqual(ran, ["kept"]);
  });

  it("refuses NaN", async () => {
    assert.throws(() => systemClock.schedule(Number.NaN, () => {}), { code: "ARGUMENT" });
    await assert.rejects(systemClock.sleep(Number.NaN), { code: "ARGUMENT" });
  });

  it("splits a delay that is too long for one timer, and never fires an infinite one", (t) => {
    // Mocked time: records the delays passed to setTimeout.
    let now = 0;
    const asked: number[] = [];
    let fire: (() => void) | undefined;
    t.mock.method(performance, "now", () => now);
    t.mock.method(globalThis, "setTimeout", (run: () => void, ms: number) => {
      asked.push(ms);
      fire = run;
    });
    const pieceMax = 2 ** 31 - 1;
    let isDone = false;

    systemClock.schedule(pieceMax + 1_000, () => (isDone = true));
    now += pieceMax;
    fire?.();
    assert.equal(isDone, false);
    now += 1_000;
    fire?.();

    assert.equal(isDone, true);
    assert.deepEqual(asked, [pieceMax, 1_000]);
    systemClock.schedule(Infinity, () => assert.fail("never"));
    now += pieceMax;
    fire?.();
    assert.deepEqual(asked.slice(2), [pieceMax, pieceMax]);
  });
});
