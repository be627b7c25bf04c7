import { type Clock, nextTurn } from "@homeostat/core";

/**
 * Event loop turns between two rounds. An idle event loop turns in no time; a busy one takes as long as its other work.
 */
const turnsBetweenRounds = 6;
/** Writing to streams takes at most 1/16 of the time. */
const shareOfTime = 16;
/** Longest pause between two rounds. */
const waitMsMax = 10;

/**
 * Paces all streams of the process in common rounds, so that each stream writes everything that has happened since the
 * last round at once instead of one event at a time.
 *
 * Without it, every write to a watched object would cause one small socket write per watcher, and the server would do
 * little else. With it, a hundred watchers of a busy server cost little more than one. A single watcher waits for a few
 * event loop turns; with many, the pause grows to a multiple of the time that writing to all of them took, up to 10 ms.
 */
export class Pace {
  readonly #clock: Pick<Clock, "monotonic" | "sleep">;
  #spentMs = 0;
  #passing: Promise<void> | undefined;

  constructor(clock: Pick<Clock, "monotonic" | "sleep">) {
    this.#clock = clock;
  }

  /** Runs a write and measures its duration. */
  spend<T>(write: () => T): T {
    const started = this.#clock.monotonic();
    try {
      return write();
    } finally {
      this.#spentMs += this.#clock.monotonic() - started;
    }
  }

  /** Waits for the next round. All callers before that share one promise. */
  next(): Promise<void> {
    return (this.#passing ??= this.#pass());
  }

  async #pass(): Promise<void> {
    // After the first turn, all streams of this round have written.
    for (let left = turnsBetweenRounds; left > 0; left -= 1) await nextTurn();
    const waitMs = Math.min(this.#spentMs * (shareOfTime - 1), waitMsMax);
    this.#spentMs = 0;
    if (waitMs >= 1) await this.#clock.sleep(waitMs);
    this.#passing = undefined;
  }
}
