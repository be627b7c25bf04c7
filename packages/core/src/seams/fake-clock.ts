import { ArgumentError } from "../errors/argument-error.ts";
import { HomeostatError } from "../errors/error.ts";
import { type HeapTimer, TimerHeap } from "./timer-heap.ts";
import { checkDelay, type Clock, sleepOn, type Timer, type TimeoutSignal, timeoutOn } from "./clock.ts";

/** Thrown when a test uses a {@link FakeClock} in a way that would never end or would not be deterministic. */
export class FakeClockError extends HomeostatError {
  readonly code = "FAKE_CLOCK";
}

/** Options of a {@link FakeClock}. */
export interface FakeClockOptions {
  /** The initial time of day, in milliseconds since the epoch. Default: 2026-01-01T00:00:00Z. */
  readonly now?: number;
  /**
   * The minimum number of turns of the event loop after each timer. Default 1, which is enough for any chain of promises. Code that
   * awaits `setImmediate` itself needs one turn for each.
   */
  readonly turnsMin?: number;
}

interface FakeTimer extends HeapTimer {
  /** True if it was due when it was set. */
  readonly isImmediate: boolean;
  readonly run: () => void;
}

/** If this many timers in a row are due at once without time moving, the code under test loops without waiting. */
const immediateMax = 10_000;

/**
 * A clock for tests and simulations that moves only when the test advances it.
 *
 * `advance` fires the timers that become due, in the order of their time and, for the same time, in the order in which they were set.
 * Before each timer and after the last one, all pending promise callbacks run, and everything that they start, until all code waits
 * for something else. So code that wakes up, awaits any number of promises and sleeps again has set its next timer before
 * the clock looks for the next timer. The order is deterministic. Sockets, files and other threads are not waited for.
 *
 * @example
 * const clock = new FakeClock();
 * const done = poll({ clock, everyMs: 1_000 });
 * await clock.advance(60_000);
 */
export class FakeClock implements Clock {
  #monotonic = 0;
  #wallOffset: number;
  #orders = 0;
  #isAdvancing = false;
  /** True if a timer was set or canceled since this was last reset, which means that code is still running. */
  #isTouched = false;
  readonly #timers = new TimerHeap<FakeTimer>();
  readonly #turnsMin: number;

  constructor({ now = Date.UTC(2026, 0, 1), turnsMin = 1 }: FakeClockOptions = {}) {
    if (!Number.isFinite(now))
      throw new ArgumentError({ argument: "now", problem: "must be a finite number of milliseconds since the epoch." });
    this.#wallOffset = now;
    this.#turnsMin = turnsMin;
  }

  now(): number {
    return this.#wallOffset + this.#monotonic;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  timeout(ms: number): TimeoutSignal {
    return timeoutOn(this, ms);
  }

  schedule(ms: number, run: () => void): Timer {
    checkDelay(ms);
    const due = this.#monotonic + Math.max(0, ms);
    const timer: FakeTimer = { due, order: this.#orders, position: -1, isImmediate: due === this.#monotonic, run };
    this.#orders += 1;
    this.#isTouched = true;
    this.#timers.add(timer);
    return {
      [Symbol.dispose]: () => {
        if (this.#timers.remove(timer)) this.#isTouched = true;
      },
    };
  }

  /** The number of pending timers, including those that never fire. It should be 0 at the end of a test. */
  get pending(): number {
    return this.#timers.size;
  }

  /** The time until the next timer is due, in milliseconds; undefined if there is none that ever fires. */
  get nextDueMs(): number | undefined {
    const { first } = this.#timers;
    return first === undefined || first.due === Infinity ? undefined : first.due - this.#monotonic;
  }

  /** Advances the time by `ms` and fires the timers that become due. With 0, fires those that are due now. */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0) || ms === Infinity)
      throw new ArgumentError({ argument: "ms", problem: `is ${ms}; it must be finite and not negative.` });
    await this.#exclusively(async () => {
      const end = this.#monotonic + ms;
      await this.#runUntil(end);
      this.#monotonic = end;
    });
  }

  /** Advances the time to a time of day, in milliseconds since the epoch. */
  async advanceTo(now: number): Promise<void> {
    await this.advance(now - this.now());
  }

  /** Advances the time to the next timer and fires only that one. Returns false if there is none. */
  async runNext(): Promise<boolean> {
    return this.#exclusively(async () => {
      await this.#settle();
      const timer = this.#fireNext(Infinity);
      if (timer === undefined) return false;
      await this.#settle();
      return true;
    });
  }

  /** Fires timers until none is left, and advances the time accordingly. Throws after `timersMax` timers. */
  async runUntilIdle({ timersMax = 10_000 }: { timersMax?: number } = {}): Promise<void> {
    for (let count = 0; await this.runNext(); count += 1) {
      if (count < timersMax) continue;
      throw new FakeClockError(
        `${timersMax} timers fired and more are pending. Stop code that repeats forever, or use advance.`,
      );
    }
  }

  /** Sets the time of day forward or, with a negative number, back, as an administrator would. Timers are not affected. */
  jump(ms: number): void {
    if (!Number.isFinite(ms))
      throw new ArgumentError({ argument: "ms", problem: "must be a finite number of milliseconds." });
    this.#wallOffset += ms;
  }

  async #runUntil(end: number): Promise<void> {
    let immediate = 0;
    await this.#settle();
    for (let timer = this.#fireNext(end); timer !== undefined; timer = this.#fireNext(end)) {
      immediate = timer.isImmediate ? immediate + 1 : 0;
      if (immediate === immediateMax) {
        throw new FakeClockError(
          `${immediateMax} timers fired without time moving: some code sleeps for 0 ms in a loop.`,
        );
      }
      await this.#settle();
    }
  }

  /** Fires the next timer if it is due by `end`, and returns it. */
  #fireNext(end: number): FakeTimer | undefined {
    const { first } = this.#timers;
    if (first === undefined || first.due > end || first.due === Infinity) return undefined;
    this.#timers.remove(first);
    this.#monotonic = first.due;
    first.run();
    return first;
  }

  /** Runs all pending promise callbacks and what they start. */
  async #settle(): Promise<void> {
    let turns = 0;
    let isQuiet = false;
    while (turns < this.#turnsMin || !isQuiet) {
      this.#isTouched = false;
      // setImmediate fires only after all promise callbacks have run.
      await new Promise<void>((resolve) => setImmediate(resolve));
      turns += 1;
      isQuiet = !this.#isTouched;
    }
  }

  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isAdvancing) throw new FakeClockError("The clock is already being advanced. Await the first call.");
    this.#isAdvancing = true;
    try {
      return await work();
    } finally {
      this.#isAdvancing = false;
    }
  }
}
