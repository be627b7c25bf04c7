import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Clock, FakeClock, systemClock } from "@homeostat/core";
import { recordingLogger, type LogLine } from "../log/keeping-logger.ts";
import { Registry } from "../metrics/registry.ts";
import { EventLoopMonitor, processLoop, type ReconcileTime } from "./event-loop-monitor.ts";

/** A program whose event loop the test blocks. */
class Bench implements AsyncDisposable {
  readonly fake = new FakeClock({ now: Date.UTC(2026, 0, 1) });
  readonly registry = new Registry();
  readonly lines: LogLine[] = [];
  readonly reconciles: ReconcileTime[] = [];
  /** Times at which the monitor measured, in milliseconds of the clock. */
  readonly looks: number[] = [];
  /** Delay of every timer. */
  lateMs = 0;
  activeMs = 0;
  turns = 0;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor() {
    const { fake } = this;
    const clock: Clock = {
      now: () => fake.now(),
      monotonic: () => fake.monotonic(),
      sleep: async (ms, signal) => {
        await fake.sleep(ms, signal);
        if (this.lateMs > 0) await fake.sleep(this.lateMs, signal);
      },
      timeout: (ms) => fake.timeout(ms),
      schedule: (ms, run) => fake.schedule(ms, run),
    };
    const use = (): { activeMs: number; turns: number } => {
      this.looks.push(fake.monotonic());
      return { activeMs: this.activeMs, turns: (this.turns += 1) };
    };
    const log = recordingLogger(this.lines);
    const monitor = new EventLoopMonitor(this.registry, { clock, log, use, reconciles: () => this.reconciles });
    this.#running = monitor.run(this.#stop.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    assert.equal(this.fake.pending, 0);
  }
}

describe("EventLoopMonitor", () => {
  it("exports the delay of timers", async () => {
    await using bench = new Bench();
    bench.lateMs = 30;

    await bench.fake.advance(2_000);

    assert.match(bench.registry.expose(), /^nodejs_eventloop_lag_seconds 0.03$/m);
    assert.deepEqual(bench.lines, []);
  });

  it("reports a timer that is late by more than a second, with the reconcile that ran for as long", async () => {
    await using bench = new Bench();
    const now = bench.fake.now();
    bench.reconciles.push(
      { controller: "sites", key: "default/blocking", startedAt: now + 400, endedAt: now + 2_100 },
      { controller: "sites", key: "default/short", startedAt: now + 300, endedAt: now + 400 },
      { controller: "sites", key: "default/before", startedAt: now - 9_000, endedAt: now - 6_000 },
    );
    bench.lateMs = 1_600.4;

    await bench.fake.advance(2_101);

    assert.deepEqual(bench.lines, [
      {
        level: "warn",
        message: "Event loop blocked",
        blockedMs: 1_600.4,
        controller: "sites",
        key: "default/blocking",
      },
    ]);
    assert.match(bench.registry.expose(), /^homeostat_event_loop_blocks_total 1$/m);
    assert.match(bench.registry.expose(), /^nodejs_eventloop_lag_seconds 1.6004$/m);
  });

  it("names several reconciles when each of them may have blocked the loop", async () => {
    await using bench = new Bench();
    const startedAt = bench.fake.now();
    bench.reconciles.push({ controller: "a", key: "x", startedAt }, { controller: "b", key: "y", startedAt });
    bench.lateMs = 1_600;

    await bench.fake.advance(2_100);

    assert.deepEqual(bench.lines[0]?.["reconciles"], ["a x", "b y"]);
  });

  it("detects a block of an idle program by active time that its few iterations do not explain", async () => {
    await using bench = new Bench();
    await bench.fake.advance(60_000);
    const atRest = bench.looks.length;
    bench.activeMs += 1_500;
    bench.turns += 3;

    await bench.fake.advance(8_000);

    assert.ok(atRest < 15, `${atRest} looks in a minute`);
    assert.deepEqual(
      bench.lines.map(({ message, blockedMs }) => [message, blockedMs]),
      [["Event loop blocked", 1_300]],
    );
  });

  it("reports nothing for a busy program with many short iterations, and measures it often", async () => {
    await using bench = new Bench();
    await bench.fake.advance(60_000);
    const before = bench.looks.length;

    for (let second = 0; second < 20; second += 1) {
      bench.activeMs += 900;
      bench.turns += 400;
      await bench.fake.advance(1_000);
    }

    assert.deepEqual(bench.lines, []);
    assert.ok(bench.looks.length - before >= 20, `${bench.looks.length - before} looks in 20 s`);
  });
});

describe("processLoop", () => {
  it("returns active time and iterations of the event loop of this process", async () => {
    await systemClock.sleep(1);
    const before = processLoop();
    await systemClock.sleep(1);

    const after = processLoop();

    assert.ok(after.activeMs >= before.activeMs);
    assert.ok(after.turns > before.turns);
  });
});
