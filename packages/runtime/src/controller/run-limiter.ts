import { setMaxListeners } from "node:events";
import { type Clock, DeadlineError, type Timer } from "@homeostat/core";

/** How long a reconciler has to return once its signal has aborted, before it counts as one that does not heed it. */
const graceMs = 1000;

/** How long writing the status may take after a run. */
const saveMsMax = 10_000;

/** What a {@link RunLimiter} tells. */
export interface LimitListener {
  /** The deadline has passed, and the signal has aborted. */
  timedOut(): void;
  /** The signal has aborted a while ago and the run still goes on. */
  ignored(): void;
}

/** The limits of one run: its deadline, and the end of its term. Disposing of it cancels its timers. */
export class RunLimiter implements Disposable {
  readonly #clock: Clock;
  readonly #listener: LimitListener;
  readonly #run = new AbortController();
  readonly #timers: Timer[] = [];
  #save: AbortController | undefined;
  #deadline: DeadlineError | undefined;
  #isBrokenOff = false;
  #hasReturned = false;

  constructor(clock: Clock, timeoutMs: number, listener: LimitListener) {
    this.#clock = clock;
    this.#listener = listener;
    // A reconciler may do many things at once, each of which listens; Node takes more than ten for a leak and says so.
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

  /** Aborts when the run has to end. */
  get signal(): AbortSignal {
    return this.#run.signal;
  }

  /** The error of the deadline, when it has passed. */
  get deadline(): DeadlineError | undefined {
    return this.#deadline;
  }

  /** Whether the term has ended under the run. */
  get isBrokenOff(): boolean {
    return this.#isBrokenOff;
  }

  /** Ends the run with its term. */
  breakOff(reason: unknown): void {
    this.#isBrokenOff = true;
    this.#abort(reason);
    this.#save?.abort(reason);
  }

  /** The reconciler has returned, so that nobody can say it does not heed its signal. */
  returned(): void {
    this.#hasReturned = true;
  }

  /** A signal for writing the status, which is done after the deadline, too. */
  forSaving(): AbortSignal {
    const save = new AbortController();
    this.#save = save;
    if (this.#isBrokenOff) save.abort(this.#run.signal.reason);
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
