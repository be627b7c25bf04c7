import { type Clock, sleepOn, type Timer, type TimeoutSignal, timeoutOn } from "@homeostat/core";

interface StepTimer {
  readonly due: number;
  readonly run: () => void;
}

/** A clock that advances instantly and fires timers on the way, so that thousands of histories take seconds. */
export class StepClock implements Clock {
  #now = 0;
  readonly #timers = new Set<StepTimer>();

  now(): number {
    return 1_000_000 + this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  schedule(ms: number, run: () => void): Timer {
    const timer: StepTimer = { due: this.#now + Math.max(0, ms), run };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  timeout(ms: number): TimeoutSignal {
    return timeoutOn(this, ms);
  }

  /** Number of pending timers. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Time of the first pending timer. */
  get nextDue(): number {
    return Math.min(...[...this.#timers].map(({ due }) => due));
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.due);
      timer.run();
    }
    this.#now = end;
  }

  #next(end: number): StepTimer | undefined {
    let first: StepTimer | undefined;
    for (const timer of this.#timers) {
      if (timer.due <= end && (first === undefined || timer.due < first.due)) first = timer;
    }
    return first;
  }
}
