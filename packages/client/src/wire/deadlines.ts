import type { Clock, Timer } from "@homeostat/core";

/** Something that has to happen by some time. */
export interface Deadline {
  /** The time, by the monotonic clock. It may change only while the deadline is not among others. */
  readonly at: number;
  /** Where it stands among others; -1 when it does not. Belongs to them. */
  place: number;
  /** It has not happened. */
  missed(): void;
}

/**
 * The deadlines of many requests, by one timer.
 *
 * Hardly any is ever missed, so none has a timer of its own: there is one for the first, which when it rings looks for those that
 * are due by then, and is set anew for the first of the others.
 *
 * They stand in a list and not in a `Set`: the tables that a set of V8 leaves behind hold on to each other and to what was in
 * them until the next full collection, so that hardly any request was garbage of the young generation.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #all: Deadline[] = [];
  #timer: Timer | undefined;
  #timerAt = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds by the clock that deadlines are given by. */
  now(): number {
    return this.#clock.monotonic();
  }

  add(deadline: Deadline): void {
    if (deadline.place < 0) {
      deadline.place = this.#all.length;
      this.#all.push(deadline);
    }
    if (deadline.at < this.#timerAt) this.#set(deadline.at);
  }

  delete(deadline: Deadline): void {
    if (!this.#remove(deadline) || this.#all.length > 0) return;
    // Nothing that is left behind keeps a program running.
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#timerAt = Infinity;
  }

  /** Takes one out; the last takes its place. */
  #remove(deadline: Deadline): boolean {
    const { place } = deadline;
    if (place < 0) return false;
    deadline.place = -1;
    const last = this.#all.pop();
    if (last !== undefined && last !== deadline) {
      this.#all[place] = last;
      last.place = place;
    }
    return true;
  }

  #set(at: number): void {
    this.#timer?.[Symbol.dispose]();
    this.#timerAt = at;
    this.#timer = this.#clock.schedule(at - this.now(), () => this.#look());
  }

  #look(): void {
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
