/** Releases a slot. Calling it again has no effect. */
export type Release = () => void;

interface Waiter {
  readonly take: () => void;
}

/**
 * A limit on concurrent requests. Others wait in FIFO order.
 *
 * Node's agents have such a limit too, but a request that waits in the queue of an agent reacts neither to an abort nor to a time
 * limit until it gets a socket.
 */
export class Slots {
  #free: number;
  readonly #waiting = new Set<Waiter>();

  constructor(max: number) {
    this.#free = max;
  }

  /** The number of requests that wait for a slot. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Takes a slot if one is free. */
  tryTake(): Release | undefined {
    if (this.#free <= 0) return undefined;
    this.#free -= 1;
    return this.#release();
  }

  /** Waits for a slot. Rejects with the signal's reason if it aborts first. */
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
      // Passed on directly, so that a new request cannot overtake the waiting ones.
      this.#waiting.delete(next);
      next.take();
    };
  }
}
