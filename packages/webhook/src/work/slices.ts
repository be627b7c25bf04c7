// Work in slices. Node runs everything on one thread: while a webhook converts a long list, no probe is answered and no lease is
// renewed. Long work is therefore written as a generator that yields between small steps, and a scheduler runs it for a few
// milliseconds at a time.

import { type Clock, nextTurn } from "@homeostat/core";

/** Work in small steps: yields after each step and returns its result. A step must be short. */
export type Steps<T> = Generator<void, T, void>;

/** Options of a {@link SliceScheduler}. */
export interface SliceSchedulerOptions {
  readonly clock: Clock;
  /** The duration of a slice in milliseconds; its last step may exceed it. Default 10. */
  readonly sliceMs?: number | undefined;
  /** Resolves after the event loop has served sockets and timers. Default {@link nextTurn}. */
  readonly turn?: (() => Promise<void>) | undefined;
}

/**
 * Runs the work of many requests in slices, one slice in each turn of the event loop.
 *
 * Slices of several requests take turns in the order in which they asked, so the event loop is blocked by one slice at most,
 * however many requests are in flight.
 */
export class SliceScheduler {
  readonly #clock: Clock;
  readonly #sliceMs: number;
  readonly #nextTurn: () => Promise<void>;
  readonly #waiting: (() => void)[] = [];
  #isGranting = false;

  constructor({ clock, sliceMs = 10, turn = nextTurn }: SliceSchedulerOptions) {
    this.#clock = clock;
    this.#sliceMs = sliceMs;
    this.#nextTurn = turn;
  }

  /** Runs steps to their end. Rejects with the reason of the signal when that aborts between two slices. */
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

  /** Resolves when it is the caller's turn: in a later turn of the event loop, and in no turn of another caller. */
  turn(): Promise<void> {
    const granted = new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (!this.#isGranting) void this.#grant();
    return granted;
  }

  async #grant(): Promise<void> {
    this.#isGranting = true;
    while (this.#waiting.length > 0) {
      await this.#nextTurn();
      this.#waiting.shift()?.();
    }
    this.#isGranting = false;
  }
}

/** Runs steps to their end without a pause, for callers that have the event loop to themselves. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
