import { abortable } from "@homeostat/core";

interface Run<T> {
  readonly promise: Promise<T>;
  readonly controller: AbortController;
  waiters: number;
}

/**
 * Work that many may ask for at once and that is done once for all of them.
 *
 * Whoever loses patience leaves alone; when the last one has left, the work itself is told to stop. Once it is over, the
 * next to ask starts it anew.
 */
export class SharedRun<T> {
  readonly #start: (signal: AbortSignal) => Promise<T>;
  #current: Run<T> | undefined;

  constructor(start: (signal: AbortSignal) => Promise<T>) {
    this.#start = start;
  }

  /** Starts the work, or joins those who wait for it. */
  async join(signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const run = (this.#current ??= this.#begin());
    run.waiters += 1;
    try {
      return await abortable(run.promise, signal);
    } finally {
      run.waiters -= 1;
      if (run.waiters === 0 && this.#current === run) {
        this.#current = undefined;
        run.controller.abort(new Error("nobody waits for it any more"));
      }
    }
  }

  #begin(): Run<T> {
    const controller = new AbortController();
    const promise = this.#start(controller.signal).finally(() => {
      if (this.#current === run) this.#current = undefined;
    });
    // When all have left, nobody is there to hear how it ended.
    promise.catch(() => undefined);
    const run: Run<T> = { promise, controller, waiters: 0 };
    return run;
  }
}
