import type { Clock, Timer } from "@homeostat/core";

/**
 * Gives a connection up when nothing comes for too long.
 *
 * One timer per connection, looked at when it fires: not one per piece.
 */
export class SilenceGuard implements Disposable {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #stop = (): void => this.#controller.abort(this.#outer.reason);
  #lastAt: number;
  #timer: Timer;
  #isSilent = false;

  /** Begins to wait. Its `signal` aborts after the silence, or when the outer one does. */
  constructor(clock: Clock, limitMs: number, outer: AbortSignal) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#outer = outer;
    this.#lastAt = clock.monotonic();
    this.#timer = clock.schedule(limitMs, () => this.#look());
    if (outer.aborted) this.#stop();
    else outer.addEventListener("abort", this.#stop, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it was silence that ended the connection. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Something came. */
  heard(): void {
    this.#lastAt = this.#clock.monotonic();
  }

  /** Gives the connection up for another reason. */
  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#outer.removeEventListener("abort", this.#stop);
  }

  #look(): void {
    const leftMs = this.#lastAt + this.#limitMs - this.#clock.monotonic();
    if (leftMs > 0) {
      this.#timer = this.#clock.schedule(leftMs, () => this.#look());
      return;
    }
    this.#isSilent = true;
    this.#controller.abort(new Error(`no byte came for ${this.#limitMs} ms`));
  }
}
