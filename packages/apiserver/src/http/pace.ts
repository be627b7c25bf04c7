import { type Clock, nextTurn } from "@homeostat/core";

/** Turns pass in no time while there is little to do, and take as long as everything that is to be done in them. */
const turnsBetweenRounds = 6;
/** Writing to streams takes no more than one part in so many of the time. */
const shareOfTime = 16;
/** Nobody waits longer than this for company. */
const waitMsMax = 10;

/**
 * Lets streams go on together, and not too soon: what happens meanwhile goes out in one piece to each.
 *
 * A hundred watchers of a busy server then cost little more than one. A single one waits for a few turns of the event loop; with
 * many the pause is as long as writing to all of them took, several times over.
 */
export class Pace {
  readonly #clock: Pick<Clock, "monotonic" | "sleep">;
  #spentMs = 0;
  #passing: Promise<void> | undefined;

  constructor(clock: Pick<Clock, "monotonic" | "sleep">) {
    this.#clock = clock;
  }

  /** Runs a write, whose time counts. */
  spend<T>(write: () => T): T {
    const started = this.#clock.monotonic();
    try {
      return write();
    } finally {
      this.#spentMs += this.#clock.monotonic() - started;
    }
  }

  /** Settles when the next round may begin; the same promise for all who ask before that. */
  next(): Promise<void> {
    return (this.#passing ??= this.#pass());
  }

  async #pass(): Promise<void> {
    // After the first turn everybody of this round has written.
    for (let left = turnsBetweenRounds; left > 0; left -= 1) await nextTurn();
    const waitMs = Math.min(this.#spentMs * (shareOfTime - 1), waitMsMax);
    this.#spentMs = 0;
    if (waitMs >= 1) await this.#clock.sleep(waitMs);
    this.#passing = undefined;
  }
}
