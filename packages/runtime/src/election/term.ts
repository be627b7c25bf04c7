import type { Clock, Timer } from "@homeostat/core";
import { LeadershipLostError, type TermEnd } from "./errors.ts";
import type { Fence, Rules } from "./rules.ts";

/** A time during which this process leads. */
export interface Term {
  /** How often the Lease had changed hands when the term began: grows from holder to holder, unless the Lease is deleted. */
  readonly epoch: number;
  /** Aborts, with a {@link LeadershipLostError}, when leadership could have been lost, and before another can have it. */
  readonly signal: AbortSignal;
  /**
   * Whether a write may leave now, by the clock at the moment of the call.
   *
   * A process that was stopped or blocked for long gets `false` at once when it wakes, before any timer has run.
   */
  mayWrite(): boolean;
}

/** What a {@link LeaseTerm} is made of. */
export interface TermOptions {
  readonly clock: Clock;
  readonly rules: Rules;
  readonly epoch: number;
  /** `namespace/name` of the Lease, for messages. */
  readonly lease: string;
  readonly fence: Fence;
}

/** A term whose fence moves on with each renewal, and which never opens again once it has closed. */
export class LeaseTerm implements Term {
  readonly epoch: number;
  readonly #clock: Clock;
  readonly #rules: Rules;
  readonly #lease: string;
  readonly #controller = new AbortController();
  #fence: Fence;
  #timer: Timer;

  constructor({ clock, rules, epoch, lease, fence }: TermOptions) {
    this.epoch = epoch;
    this.#clock = clock;
    this.#rules = rules;
    this.#lease = lease;
    this.#fence = fence;
    this.#timer = this.#arm();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether writes are allowed, without ending the term when they are not. */
  get isOpen(): boolean {
    if (this.signal.aborted) return false;
    return this.#rules.isBefore({ monotonic: this.#clock.monotonic(), wall: this.#clock.now() }, this.#fence);
  }

  mayWrite(): boolean {
    if (this.isOpen) return true;
    this.end("deadline");
    return false;
  }

  /** Moves the fence after a renewal. A term that has ended, or whose fence has passed, stays closed. */
  extend(fence: Fence): void {
    if (!this.mayWrite()) return;
    this.#fence = fence;
    this.#timer[Symbol.dispose]();
    this.#timer = this.#arm();
  }

  end(why: TermEnd): void {
    this.#timer[Symbol.dispose]();
    if (!this.signal.aborted) this.#controller.abort(new LeadershipLostError({ lease: this.#lease, why }));
  }

  #arm(): Timer {
    return this.#clock.schedule(this.#fence.monotonic - this.#clock.monotonic(), () => void this.mayWrite());
  }
}
