import type { Clock } from "@homeostat/core";

/** Options of {@link FailureLimit}. */
export interface FailureLimitOptions {
  readonly clock: Clock;
  /** Failures of one source within a window that are tolerated. */
  readonly failuresMax: number;
  readonly windowMs: number;
  /** Sources that are remembered. The oldest one is forgotten first. */
  readonly sourcesMax: number;
}

/** Limits failed attempts per source, such as an IP address, so that keys and names cannot be guessed. */
export class FailureLimit {
  readonly #options: FailureLimitOptions;
  readonly #failures = new Map<string, { count: number; since: number }>();

  constructor(options: FailureLimitOptions) {
    this.#options = options;
  }

  /** Reports whether a source has failed too often. */
  isBlocked(source: string): boolean {
    return this.#current(source).count >= this.#options.failuresMax;
  }

  /** Counts a failure. */
  fail(source: string): void {
    const { count, since } = this.#current(source);
    // Deleted first, so that the map stays ordered by the time of the last failure.
    this.#failures.delete(source);
    this.#failures.set(source, { count: count + 1, since });
    if (this.#failures.size <= this.#options.sourcesMax) return;
    const [oldest] = this.#failures.keys();
    if (oldest !== undefined) this.#failures.delete(oldest);
  }

  #current(source: string): { readonly count: number; readonly since: number } {
    const now = this.#options.clock.monotonic();
    const entry = this.#failures.get(source);
    return entry === undefined || now - entry.since >= this.#options.windowMs ? { count: 0, since: now } : entry;
  }
}
