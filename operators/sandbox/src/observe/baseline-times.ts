// Since when the baseline of an entry has its present state. A rebase waits until a baseline has settled.

/** The most entries that are remembered. The debounce of a forgotten one begins again. */
const entriesMax = 10_000;

/** Remembers when the hash of a baseline was seen first. In memory only: after a restart the debounce begins again. */
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
