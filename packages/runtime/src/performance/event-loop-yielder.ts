import { type Clock, nextTurn } from "@homeostat/core";

/** Options of an {@link EventLoopYielder}. */
export interface EventLoopYielderOptions {
  /** Time that work may take before the event loop gets a turn. */
  readonly turnMsMax: number;
}

/**
 * A guard that interrupts long work, so that timers and sockets are served in between.
 *
 * Awaiting a promise is not enough: if it is already resolved, only other microtasks run before the work continues. A
 * worker whose reconciles find nothing to do, and a cache that reads a list from a full socket, await nothing else. A
 * hundred thousand keys or objects would then cost the process its leader election lease, because the timer that renews
 * it never fires.
 *
 * All work that shares one guard shares its budget: the time of a turn counts from the first call in it by any caller.
 *
 * @example
 * for await (const chunk of body) {
 *   yielder.begin();
 *   parse(chunk);
 *   const pause = yielder.pause();
 *   if (pause !== undefined) await pause;
 * }
 */
export class EventLoopYielder {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #turnMsMax: number;
  #startedAt = 0;
  /** Resolves at the end of the current turn; undefined if no work was observed in it yet. */
  #turnEnd: Promise<void> | undefined;
  /** True if work waits for the end of the current turn. */
  #isAwaited = false;

  constructor(clock: Pick<Clock, "monotonic">, { turnMsMax }: EventLoopYielderOptions) {
    this.#clock = clock;
    this.#turnMsMax = turnMsMax;
  }

  /** Starts to measure the current turn. Without it, the work before the first `pause` of a turn is not counted. */
  begin(): void {
    if (this.#turnEnd === undefined) this.#start(this.#clock.monotonic());
  }

  /** Returns a promise to await if the current turn of the event loop has taken too long; otherwise undefined. */
  pause(): Promise<void> | undefined {
    const now = this.#clock.monotonic();
    if (this.#turnEnd === undefined) this.#start(now);
    if (now - this.#startedAt < this.#turnMsMax) return undefined;
    this.#isAwaited = true;
    return this.#turnEnd;
  }

  #start(now: number): void {
    this.#startedAt = now;
    this.#turnEnd = this.#awaitEnd();
  }

  async #awaitEnd(): Promise<void> {
    await nextTurn();
    const isAwaited = this.#isAwaited;
    this.#isAwaited = false;
    this.#turnEnd = undefined;
    // Paused work resumes now. It is measured from here on, not from its next call of `pause`: otherwise a piece of work that takes the
    // whole time by itself would be followed by a second one before the event loop gets its turn.
    if (isAwaited) this.#start(this.#clock.monotonic());
  }
}
