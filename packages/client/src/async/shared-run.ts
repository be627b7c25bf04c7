import { abortable } from "@homeostat/core";

interface Run<T> {
  readonly promise: Promise<T>;
  readonly controller: AbortController;
  waiters: number;
}

/**
 * An operation that concurrent callers share, as Go's `singleflight` does: it runs once for all callers that join while it runs.
 *
 * A caller whose signal aborts stops waiting without affecting the others. When the last caller has left, the operation itself is
 * aborted. After it has ended, the next caller starts it again.
 */
export class SharedRun<T> {
  readonly #start: (signal: AbortSignal) => Promise<T>;
  #current: Run<T> | undefined;

  constructor(start: (signal: AbortSignal) => Promise<T>) {
    this.#start = start;
  }

  /** Starts the operation, or waits for the running one. */
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
        run.controller.abort(new Error("all callers have left"));
      }
    }
  }

  #begin(): Run<T> {
    const controller = new AbortController();
    const promise = this.#start(controller.signal).finally(() => {
      if (this.#current === run) this.#current = undefined;
    });
    // If all callers have left, a rejection has no handler and would end the process.
    promise.catch(() => undefined);
    const run: Run<T> = { promise, controller, waiters: 0 };
    return run;
  }
}
