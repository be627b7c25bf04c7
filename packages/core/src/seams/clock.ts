import { ArgumentError } from "../errors/argument-error.ts";
import { DeadlineError } from "../errors/deadline-error.ts";

/** A running timer. Disposing of it cancels it; doing so twice, or after it has run, is fine. */
export interface Timer {
  [Symbol.dispose](): void;
}

/** A signal that aborts when its time is up, with a {@link DeadlineError} as reason. Dispose of it when done. */
export interface TimeoutSignal extends Timer {
  readonly signal: AbortSignal;
}

/**
 * Time, as everything in this project sees it: passed in, so that a test can hold it.
 *
 * Delays are in milliseconds. Zero and less mean as soon as possible, but never before the caller's code has returned;
 * `Infinity` means never; a delay longer than Node's timers can take is served in pieces. `NaN` is an
 * `ArgumentError`: it is a mistake in a calculation, and any delay in its place would hide it.
 */
export interface Clock {
  /** The time of day in milliseconds since 1970 (UTC). It may jump when somebody sets the clock: for display only. */
  now(): number;
  /** Milliseconds since some moment, which only ever grow: for measuring how long something takes. */
  monotonic(): number;
  /** Resolves after the delay. Rejects with the signal's reason when that aborts first, and then leaves nothing behind. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A signal that aborts after the delay: `using timeout = clock.timeout(5_000)`. */
  timeout(ms: number): TimeoutSignal;
  /** Runs a function once after the delay, unless the timer is disposed of first. */
  schedule(ms: number, run: () => void): Timer;
}

/** Refuses a delay that is no number. */
export function checkDelay(ms: number): void {
  if (Number.isNaN(ms))
    throw new ArgumentError({ argument: "ms", problem: "is NaN; a delay must be a number of milliseconds." });
}

/** `sleep` for every clock, by means of its `schedule`. */
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

/** `timeout` for every clock, by means of its `schedule`. */
export function timeoutOn(clock: Pick<Clock, "schedule">, ms: number): TimeoutSignal {
  const controller = new AbortController();
  const timer = clock.schedule(ms, () => controller.abort(new DeadlineError(ms)));
  return { signal: controller.signal, [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
