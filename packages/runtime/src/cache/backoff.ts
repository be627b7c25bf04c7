import type { Random } from "@homeostat/core";

/** Between which times to wait, in milliseconds. */
export interface BackoffRange {
  /** The shortest wait. Default 800. */
  readonly minMs?: number;
  /** The longest. Default 30,000. */
  readonly maxMs?: number;
}

/** The longest wait while nobody listens. */
const unheardMsMax = 2000;

/**
 * How long to wait after each failure in a row: by chance between the shortest wait and a limit that doubles up to the
 * longest.
 *
 * Chance over the whole range keeps those who failed together from coming back together. Each watch has its own.
 */
export class ReconnectBackoff {
  readonly #random: Random;
  readonly #minMs: number;
  readonly #maxMs: number;
  #failures = 0;
  /** The failures that make the wait longer. */
  #steps = 0;

  constructor(random: Random, { minMs = 800, maxMs = 30_000 }: BackoffRange = {}) {
    this.#random = random;
    this.#minMs = minMs;
    this.#maxMs = Math.max(minMs, maxMs);
  }

  /** How many failures there were since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /** Counts a failure, and says how long to wait. */
  fail(): number {
    this.#failures += 1;
    this.#steps += 1;
    return this.#below(this.#minMs * 2 ** Math.min(this.#steps, 30));
  }

  /**
   * Counts a failure for which nobody was there to be a burden to, and says how long to wait.
   *
   * This does not grow: being asked costs a server that is down nothing, and an outage that is over should be noticed soon.
   */
  failUnheard(): number {
    this.#failures += 1;
    return this.#below(unheardMsMax);
  }

  reset(): void {
    this.#failures = 0;
    this.#steps = 0;
  }

  #below(limitMs: number): number {
    return this.#minMs + this.#random.next() * (Math.max(this.#minMs, Math.min(this.#maxMs, limitMs)) - this.#minMs);
  }
}
