import type { Clock, Timer } from "@homeostat/core";

/** Something with a time limit. */
export interface Timed {
  /** Monotonic time at which {@link expire} is called; `Infinity` for never. */
  deadline: number;
  /** Called once when the deadline has passed. It sets a new deadline, or the owner is removed. */
  expire(now: number): void;
}

/** Time between two checks. A limit is exceeded by at most this time. */
const intervalMs = 250;

/**
 * Checks the time limits of many connections with one timer. To start and stop a timer per request would cost more than to
 * parse the request.
 */
export class Deadlines {
  readonly clock: Clock;
  readonly #owners = new Set<Timed>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  add(owner: Timed): void {
    this.#owners.add(owner);
    this.#timer ??= this.clock.schedule(intervalMs, this.#check);
  }

  remove(owner: Timed): void {
    this.#owners.delete(owner);
    // The timer would keep a process alive that has nothing left to do.
    if (this.#owners.size > 0) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  readonly #check = (): void => {
    const now = this.clock.monotonic();
    this.#timer = this.clock.schedule(intervalMs, this.#check);
    for (const owner of this.#owners) {
      if (owner.deadline > now) continue;
      owner.deadline = Infinity;
      owner.expire(now);
    }
  };
}
