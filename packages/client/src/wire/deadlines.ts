import type { Clock, Timer } from "@homeostat/core";

/** A deadline of a request. */
export interface Deadline {
  /** The monotonic time. It may change only while the deadline is not in a {@link Deadlines}. */
  readonly at: number;
  /** The index in the list of a {@link Deadlines}, which maintains it; -1 if it is in none. */
  index: number;
  /** Called when the deadline has passed. */
  missed(): void;
}

/**
 * The deadlines of many requests, with one timer.
 *
 * Deadlines are hardly ever missed, so they have no timers of their own. One timer is set for the earliest deadline. When it
 * fires, it calls `missed` of all that are due and is set for the earliest of the others.
 *
 * They are kept in an array, not in a `Set`: when a `Set` of V8 is rehashed, the old tables stay linked to each other and keep
 * their former entries alive until the next full garbage collection. Hardly any request was then collected in the young
 * generation.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #all: Deadline[] = [];
  #timer: Timer | undefined;
  #timerAt = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the current monotonic time in milliseconds. */
  now(): number {
    return this.#clock.monotonic();
  }

  add(deadline: Deadline): void {
    if (deadline.index < 0) {
      deadline.index = this.#all.length;
      this.#all.push(deadline);
    }
    if (deadline.at < this.#timerAt) this.#set(deadline.at);
  }

  delete(deadline: Deadline): void {
    if (!this.#remove(deadline) || this.#all.length > 0) return;
    // A timer without deadlines would keep the process alive.
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#timerAt = Infinity;
  }

  /** Removes a deadline. The last one of the list takes its index. */
  #remove(deadline: Deadline): boolean {
    const { index } = deadline;
    if (index < 0) return false;
    deadline.index = -1;
    const last = this.#all.pop();
    if (last !== undefined && last !== deadline) {
      this.#all[index] = last;
      last.index = index;
    }
    return true;
  }

  #set(at: number): void {
    this.#timer?.[Symbol.dispose]();
    this.#timerAt = at;
    this.#timer = this.#clock.schedule(at - this.now(), () => this.#fire());
  }

  #fire(): void {
    this.#timer = undefined;
    this.#timerAt = Infinity;
    const now = this.now();
    const due: Deadline[] = [];
    let next = Infinity;
    for (const deadline of this.#all) {
      if (deadline.at <= now) due.push(deadline);
      else next = Math.min(next, deadline.at);
    }
    for (const deadline of due) this.#remove(deadline);
    if (next < Infinity) this.#set(next);
    for (const deadline of due) deadline.missed();
  }
}
