// Time slicing of long work. Node runs everything on one thread: while a webhook converts a long list, no probe is
// served and no lease is renewed. Long work is therefore written as a generator that yields between small steps, and a
// scheduler runs it for a few milliseconds at a time.

import { type Clock, nextTurn, TurnQueue } from "@homeostat/core";

/** Work in small steps: yields after each step and returns its result. A step must be short. */
export type Steps<T> = Generator<void, T, void>;

/** Options of a {@link SliceScheduler}. */
export interface SliceSchedulerOptions {
  readonly clock: Clock;
  /** Duration of a slice in milliseconds; its last step may exceed it. Default 10. */
  readonly sliceMs?: number | undefined;
  /** Resolves after the event loop has served sockets and timers. Default {@link nextTurn}. */
  readonly turn?: (() => Promise<void>) | undefined;
}

/**
 * Runs the work of many requests in slices, one slice per turn of the event loop.
 *
 * Slices of several requests alternate in the order in which they were requested, so the event loop is blocked by at
 * most one slice at a time, however many requests are in flight.
 */
export class SliceScheduler {
  readonly #clock: Clock;
  readonly #sliceMs: number;
  readonly #turns: TurnQueue;

  constructor({ clock, sliceMs = 10, turn = nextTurn }: SliceSchedulerOptions) {
    this.#clock = clock;
    this.#sliceMs = sliceMs;
    this.#turns = new TurnQueue(turn);
  }

  /** Runs steps to their end. Rejects with the reason of the signal if it aborts between two slices. */
  async run<T>(steps: Steps<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      await this.turn();
      signal.throwIfAborted();
      const endMs = this.#clock.monotonic() + this.#sliceMs;
      do {
        const step = steps.next();
        if (step.done === true) return step.value;
      } while (this.#clock.monotonic() < endMs);
    }
  }

  /** Waits for a turn of the event loop that no other caller gets. */
  turn(): Promise<void> {
    return this.#turns.take();
  }
}

/** Runs steps to their end without a pause, for callers that may block the event loop. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
