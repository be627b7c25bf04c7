import { ArgumentError } from "../errors/argument-error.ts";
import { DeadlineError } from "../errors/deadline-error.ts";

/** A running timer. Disposing it cancels it; disposing it again or after it has fired has no effect. */
export interface Timer {
  [Symbol.dispose](): void;
}

/** A signal that aborts after a timeout with a {@link DeadlineError} as reason. Dispose it when done. */
export interface TimeoutSignal extends Timer {
  readonly signal: AbortSignal;
}

/**
 * The source of time in this project. It is always passed in, so that tests can control it.
 *
 * Delays are in milliseconds. Zero and negative delays mean as soon as possible, but never before the calling code has returned;
 * `Infinity` means never; a delay beyond the limit of Node's timers is split. `NaN` throws an `ArgumentError`: it is the result of a
 * wrong calculation, and any delay would hide the bug.
 */
export interface Clock {
  /** Returns the time of day in milliseconds since the epoch. It jumps when the system clock is set: do not measure durations with it. */
  now(): number;
  /** Returns monotonic time in milliseconds since an arbitrary moment. Use it to measure durations. */
  monotonic(): number;
  /** Resolves after the delay. Rejects with the signal's reason if it aborts first, and then cancels the timer. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Returns a signal that aborts after the delay: `using timeout = clock.timeout(5_000)`. */
  timeout(ms: number): TimeoutSignal;
  /** Calls a function once after the delay, unless the timer is disposed first. */
  schedule(ms: number, run: () => void): Timer;
}

/** Throws an `ArgumentError` if a delay is NaN. */
export function checkDelay(ms: number): void {
  if (Number.isNaN(ms))
    throw new ArgumentError({ argument: "ms", problem: "is NaN; a delay must be a number of milliseconds." });
}

/** Implements `sleep` of a clock with its `schedule`. */
export async function sleepOn(clock: Pick<Clock, "schedule">, ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      timer[Symbol.dispose]();
      reject(signal?.reason);
    };
    const timer = clock.schedule(ms, () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Implements `timeout` of a clock with its `schedule`. */
export function timeoutOn(clock: Pick<Clock, "schedule">, ms: number): TimeoutSignal {
  const controller = new AbortController();
  const timer = clock.schedule(ms, () => controller.abort(new DeadlineError(ms)));
  return { signal: controller.signal, [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
