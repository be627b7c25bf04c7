import type { Clock, Timer } from "@homeostat/core";
import { LeadershipLostError, type TermEnd } from "./errors.ts";
import type { Fence, Rules } from "./rules.ts";

/** A period in which this process is the leader. */
export interface Term {
  /** `leaseTransitions` of the Lease when the term started. It increases from holder to holder, unless the Lease is deleted. */
  readonly epoch: number;
  /** Aborts with a {@link LeadershipLostError} when leadership may be lost, and before another process can acquire it. */
  readonly signal: AbortSignal;
  /**
   * Reports whether this process may send a write now. Reads the clock on every call.
   *
   * After a long suspension of the process or a blocked event loop, it returns false at once, before any timer has fired.
   */
  mayWrite(): boolean;
}

/** Options of a {@link LeaseTerm}. */
export interface TermOptions {
  readonly clock: Clock;
  readonly rules: Rules;
  readonly epoch: number;
  /** The Lease for messages: `Lease namespace/name`. */
  readonly lease: string;
  readonly fence: Fence;
}

/** A term whose fence moves with each renewal. Once ended, it never permits writes again, even if a late renewal succeeds. */
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

  /** True if writes are permitted. Unlike `mayWrite`, it does not end an expired term. */
  get isOpen(): boolean {
    if (this.signal.aborted) return false;
    return this.#rules.isBefore({ monotonic: this.#clock.monotonic(), wall: this.#clock.now() }, this.#fence);
  }

  mayWrite(): boolean {
    if (this.isOpen) return true;
    this.end("deadline");
    return false;
  }

  /** Moves the fence after a renewal. Has no effect on a term that has ended or whose fence has passed. */
  extend(fence: Fence): void {
    if (!this.mayWrite()) return;
    this.#fence = fence;
    this.#timer[Symbol.dispose]();
    this.#timer = this.#arm();
  }

  /** Ends the term and aborts its signal. Only the first call has an effect. */
  end(why: TermEnd): void {
    this.#timer[Symbol.dispose]();
    if (!this.signal.aborted) this.#controller.abort(new LeadershipLostError({ lease: this.#lease, why }));
  }

  #arm(): Timer {
    return this.#clock.schedule(this.#fence.monotonic - this.#clock.monotonic(), () => void this.mayWrite());
  }
}
