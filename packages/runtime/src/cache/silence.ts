import type { Clock, Timer } from "@homeostat/core";

/**
 * A guard that aborts a connection when no byte arrives for too long.
 *
 * A TCP connection whose peer disappeared without a FIN (a crashed node, a NAT table that forgot it) looks like an
 * idle watch. The bookmarks that servers send about every minute are what tells the two apart.
 *
 * There is one timer per connection, which is rescheduled when it fires. Restarting it for every chunk would cost
 * thousands of timers during a list.
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

  /** Starts the timer. `signal` aborts when the limit is exceeded or when `outer` aborts. */
  constructor(clock: Clock, limitMs: number, outer: AbortSignal) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#outer = outer;
    this.#lastAt = clock.monotonic();
    this.#timer = clock.schedule(limitMs, () => this.#check());
    if (outer.aborted) this.#stop();
    else outer.addEventListener("abort", this.#stop, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True if the connection was aborted because no byte arrived. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Records that a chunk has arrived. */
  received(): void {
    this.#lastAt = this.#clock.monotonic();
  }

  /** Aborts the connection for another reason. */
  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#outer.removeEventListener("abort", this.#stop);
  }

  #check(): void {
    const leftMs = this.#lastAt + this.#limitMs - this.#clock.monotonic();
    if (leftMs > 0) {
      this.#timer = this.#clock.schedule(leftMs, () => this.#check());
      return;
    }
    this.#isSilent = true;
    this.#controller.abort(new Error(`no data received for ${this.#limitMs} ms`));
  }
}
