import { setMaxListeners } from "node:events";
import { type Clock, DeadlineError, type Timer } from "@homeostat/core";

/** Milliseconds that a reconciler has to return after its signal has aborted, before it counts as stuck. */
const graceMs = 1000;

/** Maximum duration of the status write at the end of a reconcile, in milliseconds. It starts after the reconciler has returned. */
const saveMsMax = 10_000;

/** Callbacks of a {@link ReconcileLimiter}. */
export interface LimitListener {
  /** Called when the deadline has passed and the signal has aborted. */
  timedOut(): void;
  /** Called when the reconciler has not returned within a second after its signal aborted. */
  ignored(): void;
}

/** Aborts one reconcile at its deadline, or when its term ends. Disposing of it cancels its timers. */
export class ReconcileLimiter implements Disposable {
  readonly #clock: Clock;
  readonly #listener: LimitListener;
  readonly #run = new AbortController();
  readonly #timers: Timer[] = [];
  #save: AbortController | undefined;
  #deadline: DeadlineError | undefined;
  #isAborted = false;
  #hasReturned = false;

  constructor(clock: Clock, timeoutMs: number, listener: LimitListener) {
    this.#clock = clock;
    this.#listener = listener;
    // A reconciler may send many requests in parallel, each with a listener; Node would warn of a leak at more than ten listeners.
    setMaxListeners(0, this.#run.signal);
    if (timeoutMs === Infinity) return;
    this.#timers.push(
      clock.schedule(timeoutMs, () => {
        if (this.#run.signal.aborted) return;
        this.#deadline = new DeadlineError(timeoutMs);
        this.#abort(this.#deadline);
        listener.timedOut();
      }),
    );
  }

  /** The signal of the reconcile. */
  get signal(): AbortSignal {
    return this.#run.signal;
  }

  /** The deadline error; undefined until the deadline has passed. */
  get deadline(): DeadlineError | undefined {
    return this.#deadline;
  }

  /** True if the term ended during the reconcile. */
  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** Aborts the reconcile and its status write, because the term ends. */
  abort(reason: unknown): void {
    this.#isAborted = true;
    this.#abort(reason);
    this.#save?.abort(reason);
  }

  /** Notes that the reconciler has returned, so that it no longer counts as ignoring its signal. */
  returned(): void {
    this.#hasReturned = true;
  }

  /**
   * Returns the signal for the final status write. It has a deadline of its own: after a timeout the signal of the reconcile has aborted, and
   * the status should still show why.
   */
  forSaving(): AbortSignal {
    const save = new AbortController();
    this.#save = save;
    if (this.#isAborted) save.abort(this.#run.signal.reason);
    else this.#timers.push(this.#clock.schedule(saveMsMax, () => save.abort(new DeadlineError(saveMsMax))));
    return save.signal;
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
  }

  #abort(reason: unknown): void {
    if (this.#run.signal.aborted) return;
    this.#run.abort(reason);
    this.#timers.push(
      this.#clock.schedule(graceMs, () => {
        if (!this.#hasReturned) this.#listener.ignored();
      }),
    );
  }
}
