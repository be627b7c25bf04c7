import { ArgumentError } from "../errors/argument-error.ts";
import { HomeostatError } from "../errors/error.ts";
import { type HeapTimer, TimerHeap } from "./timer-heap.ts";
import { checkDelay, type Clock, sleepOn, type Timer, type TimeoutSignal, timeoutOn } from "./clock.ts";

/** Thrown when a test uses a {@link FakeClock} in a way that could never end or never be the same twice. */
export class FakeClockError extends HomeostatError {
  readonly code = "FAKE_CLOCK";
}

/** Options of a {@link FakeClock}. */
export interface FakeClockOptions {
  /** The time of day to begin at, in milliseconds since 1970. Default: 2026-01-01T00:00:00Z. */
  readonly now?: number;
  /**
   * How many turns of the event loop to give waiting work after each timer, at least. Default 1, which is enough for
   * promises, however many follow each other. Work that itself waits for `setImmediate` needs a turn for each.
   */
  readonly turnsMin?: number;
}

interface FakeTimer extends HeapTimer {
  /** Whether it was due at the moment it was set. */
  readonly isImmediate: boolean;
  readonly run: () => void;
}

/** So many timers that were due at once, without time moving in between, are a loop that waits for nothing. */
const immediateMax = 10_000;

/**
 * A clock that moves only when told to, for tests and simulations.
 *
 * `advance` runs the timers that fall due, in order of their time and, at the same time, in the order in which they were
 * set. Before each of them and after the last, all work that is waiting runs first: every promise callback, and
 * everything that these start, down to the point where all of it waits for something else. So code that wakes up,
 * works through any number of awaits and sleeps again has set its next timer before the clock looks for the next
 * timer. The order is the same on every run. Waiting for sockets, files or other threads is not part of it.
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
  /** Whether a timer was set or cancelled since this was last made false: a sign that work is still going on. */
  #isTouched = false;
  readonly #timers = new TimerHeap<FakeTimer>();
  readonly #turnsMin: number;

  constructor({ now = Date.UTC(2026, 0, 1), turnsMin = 1 }: FakeClockOptions = {}) {
    if (!Number.isFinite(now))
      throw new ArgumentError({ argument: "now", problem: "must be a finite number of milliseconds since 1970." });
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

  /** How many timers wait, those that never fire included. A test that ends with 0 has left nothing behind. */
  get pending(): number {
    return this.#timers.size;
  }

  /** In how many milliseconds the next timer is due; `undefined` when none is, or only ones that never fire. */
  get nextDueMs(): number | undefined {
    const { first } = this.#timers;
    return first === undefined || first.due === Infinity ? undefined : first.due - this.#monotonic;
  }

  /** Moves time on by `ms`, running what falls due on the way. With 0, runs what is due now. */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0) || ms === Infinity)
      throw new ArgumentError({ argument: "ms", problem: `is ${ms}; time moves on by a finite, positive amount.` });
    await this.#exclusively(async () => {
      const end = this.#monotonic + ms;
      await this.#runUntil(end);
      this.#monotonic = end;
    });
  }

  /** Moves time on to a time of day, in milliseconds since 1970. */
  async advanceTo(now: number): Promise<void> {
    await this.advance(now - this.now());
  }

  /** Moves time to the next timer and runs that one alone; false when there is none to run. */
  async runNext(): Promise<boolean> {
    return this.#exclusively(async () => {
      await this.#settle();
      const timer = this.#fireNext(Infinity);
      if (timer === undefined) return false;
      await this.#settle();
      return true;
    });
  }

  /** Runs timers until none is left, moving time as far as that takes. Throws when `timersMax` of them were not enough. */
  async runUntilIdle({ timersMax = 10_000 }: { timersMax?: number } = {}): Promise<void> {
    for (let count = 0; await this.runNext(); count += 1) {
      if (count < timersMax) continue;
      throw new FakeClockError(
        `${timersMax} timers ran and more are waiting. Stop what repeats for ever, or use advance.`,
      );
    }
  }

  /** Sets the time of day forward or, with a negative number, back, as an administrator would. No timer notices. */
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
        throw new FakeClockError(`${immediateMax} timers ran without time moving: something waits 0 ms in a loop.`);
      }
      await this.#settle();
    }
  }

  /** Runs the next timer if it is due by `end`, and returns it. */
  #fireNext(end: number): FakeTimer | undefined {
    const { first } = this.#timers;
    if (first === undefined || first.due > end || first.due === Infinity) return undefined;
    this.#timers.remove(first);
    this.#monotonic = first.due;
    first.run();
    return first;
  }

  /** Lets everything that waits for nothing but its turn run to its end. */
  async #settle(): Promise<void> {
    let turns = 0;
    let isQuiet = false;
    while (turns < this.#turnsMin || !isQuiet) {
      this.#isTouched = false;
      // A turn of the event loop begins only when no promise callback is left.
      await new Promise<void>((resolve) => setImmediate(resolve));
      turns += 1;
      isQuiet = !this.#isTouched;
    }
  }

  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isAdvancing) throw new FakeClockError("The clock is being advanced already. Await the first call.");
    this.#isAdvancing = true;
    try {
      return await work();
    } finally {
      this.#isAdvancing = false;
    }
  }
}
