import type { Random } from "@homeostat/core";

/** Limits of the delay between retries, in milliseconds. */
export interface BackoffRange {
  /** Shortest delay. Default 800. */
  readonly minMs?: number;
  /** Longest delay. Default 30,000. */
  readonly maxMs?: number;
}

/** Longest delay while connections are refused. */
const refusedMsMax = 2000;

/**
 * The delay after each consecutive failure: random between the minimum and a limit that doubles up to the maximum.
 *
 * Jitter over the whole range keeps clients that failed together, for example at a restart of the API server, from
 * returning together. At the default maximum, a watch sends about four requests per minute to a server that is unhealthy.
 * Each watch has its own backoff, so a kind that the server cannot serve does not delay the others.
 */
export class ReconnectBackoff {
  readonly #random: Random;
  readonly #minMs: number;
  readonly #maxMs: number;
  #failures = 0;
  /** Failures that make the delay longer. */
  #steps = 0;

  constructor(random: Random, { minMs = 800, maxMs = 30_000 }: BackoffRange = {}) {
    this.#random = random;
    this.#minMs = minMs;
    this.#maxMs = Math.max(minMs, maxMs);
  }

  /** Number of failures since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /** Counts a failure and returns the delay in milliseconds. */
  fail(): number {
    this.#failures += 1;
    this.#steps += 1;
    return this.#randomBelow(this.#minMs * 2 ** Math.min(this.#steps, 30));
  }

  /**
   * Counts a refused connection and returns the delay in milliseconds.
   *
   * This delay does not grow: connection attempts cost nothing to a server that is down, and the end of an outage
   * should be noticed soon.
   */
  failRefused(): number {
    this.#failures += 1;
    return this.#randomBelow(refusedMsMax);
  }

  reset(): void {
    this.#failures = 0;
    this.#steps = 0;
  }

  #randomBelow(limitMs: number): number {
    return this.#minMs + this.#random.next() * (Math.max(this.#minMs, Math.min(this.#maxMs, limitMs)) - this.#minMs);
  }
}
