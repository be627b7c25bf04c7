/** A timer in a {@link TimerHeap}. */
export interface HeapTimer {
  /** The time at which it is due. */
  readonly due: number;
  /** The order of timers that are due at the same time: the smaller number comes first. */
  readonly order: number;
  /** The index in the heap, which maintains it; -1 if it is in none. */
  position: number;
}

/** A binary heap of timers by the time they are due. Adding and removing any timer takes logarithmic time. */
export class TimerHeap<T extends HeapTimer> {
  readonly #timers: T[] = [];

  get size(): number {
    return this.#timers.length;
  }

  /** The timer that is due first. It is not removed. */
  get first(): T | undefined {
    return this.#timers[0];
  }

  add(timer: T): void {
    this.#put(timer, this.#timers.length);
    this.#up(timer);
  }

  /** Removes a timer. Returns false if it was not in the heap. */
  remove(timer: T): boolean {
    const { position } = timer;
    if (this.#timers[position] !== timer) return false;
    timer.position = -1;
    const last = this.#timers.pop();
    if (last !== undefined && last !== timer) {
      this.#put(last, position);
      this.#up(last);
      this.#down(last);
    }
    return true;
  }

  #up(timer: T): void {
    while (timer.position > 0) {
      const parent = this.#timers[(timer.position - 1) >> 1];
      if (parent === undefined || !isBefore(timer, parent)) return;
      this.#swap(timer, parent);
    }
  }

  #down(timer: T): void {
    for (;;) {
      const left = this.#timers[timer.position * 2 + 1];
      const right = this.#timers[timer.position * 2 + 2];
      const child = left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, timer)) return;
      this.#swap(child, timer);
    }
  }

  #swap(a: T, b: T): void {
    const { position } = a;
    this.#put(a, b.position);
    this.#put(b, position);
  }

  #put(timer: T, position: number): void {
    this.#timers[position] = timer;
    timer.position = position;
  }
}

function isBefore(a: HeapTimer, b: HeapTimer): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}
