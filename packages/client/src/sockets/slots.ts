/** Gives a slot back. Calling it twice gives it back once. */
export type Release = () => void;

interface Waiter {
  readonly take: () => void;
}

/**
 * A limit on how many requests are under way at once; the others wait in the order in which they came.
 *
 * Node's agents have such a limit of their own, but a request that waits in their queue hears neither an abort nor a
 * time limit until it is its turn.
 */
export class Slots {
  #free: number;
  readonly #waiting = new Set<Waiter>();

  constructor(max: number) {
    this.#free = max;
  }

  /** How many wait for a slot. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** A slot, if one is free. */
  tryTake(): Release | undefined {
    if (this.#free <= 0) return undefined;
    this.#free -= 1;
    return this.#release();
  }

  /** Waits for a slot. Rejects with the signal's reason when that aborts first. */
  async take(signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    const free = this.tryTake();
    if (free !== undefined) return free;
    return new Promise<Release>((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.delete(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        take: () => {
          signal?.removeEventListener("abort", stop);
          resolve(this.#release());
        },
      };
      this.#waiting.add(waiter);
      signal?.addEventListener("abort", stop, { once: true });
    });
  }

  #release(): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const [next] = this.#waiting;
      if (next === undefined) {
        this.#free += 1;
        return;
      }
      // Handed on directly, so that nobody who comes now can overtake.
      this.#waiting.delete(next);
      next.take();
    };
  }
}
