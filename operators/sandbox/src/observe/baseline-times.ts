// Remembers when the baseline of an entry last changed. A rebase waits until the baseline has settled.

/** Maximum number of entries that are remembered. The debounce of a forgotten entry starts over. */
const entriesMax = 10_000;

/**
 * Remembers when the hash of a baseline was first observed. In memory only: after a restart the debounce starts over.
 */
export class BaselineTimes {
  readonly #times = new Map<string, { readonly hash: string; readonly sinceMs: number }>();

  /** Returns the time since which a baseline has the hash. */
  since(key: string, hash: string, nowMs: number): number {
    const known = this.#times.get(key);
    if (known?.hash === hash) return known.sinceMs;
    this.#times.delete(key);
    const [oldest] = this.#times.keys();
    if (oldest !== undefined && this.#times.size >= entriesMax) this.#times.delete(oldest);
    this.#times.set(key, { hash, sinceMs: nowMs });
    return nowMs;
  }

  clear(): void {
    this.#times.clear();
  }
}
