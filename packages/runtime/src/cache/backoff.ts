import type { Random } from "@homeostat/core";

/** Between which times to wait, in milliseconds. */
export interface BackoffRange {
  /** The shortest wait. Default 800. */
  readonly minMs?: number;
  /** The longest. Default 30,000. */
  readonly maxMs?: number;
}

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
    const limit = Math.min(this.#maxMs, this.#minMs * 2 ** Math.min(this.#failures, 30));
    return this.#minMs + this.#random.next() * (limit - this.#minMs);
  }

  reset(): void {
    this.#failures = 0;
  }
}
