import { ArgumentError } from "../errors/argument-error.ts";
import type { Clock, Timer, TimeoutSignal } from "./clock.ts";

/**
 * A clock whose time of day differs from that of another clock by an offset. Monotonic time and timers are those of the other clock.
 *
 * For tests of clock skew: the API server runs on a `FakeClock` and the operator on an `OffsetClock` of it, so that one `advance`
 * moves both.
 *
 * @example
 * const server = new FakeClock();
 * const operator = new OffsetClock(server, 3_600_000); // One hour ahead.
 * operator.jump(-3_600_000); // The clock is corrected while the operator runs.
 */
export class OffsetClock implements Clock {
  readonly #clock: Clock;
  #offsetMs: number;

  constructor(clock: Clock, offsetMs: number) {
    checkOffset("offsetMs", offsetMs);
    this.#clock = clock;
    this.#offsetMs = offsetMs;
  }

  now(): number {
    return this.#clock.now() + this.#offsetMs;
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }

  timeout(ms: number): TimeoutSignal {
    return this.#clock.timeout(ms);
  }

  schedule(ms: number, run: () => void): Timer {
    return this.#clock.schedule(ms, run);
  }

  /** Sets the time of day forward or, with a negative number, back. Monotonic time and timers are not affected. */
  jump(ms: number): void {
    checkOffset("ms", ms);
    this.#offsetMs += ms;
  }
}

function checkOffset(argument: string, ms: number): void {
  if (!Number.isFinite(ms)) throw new ArgumentError({ argument, problem: "must be a finite number of milliseconds." });
}
