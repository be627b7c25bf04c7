/** Keys of which something new is known, each at most once until it is read. */
export class News {
  readonly #keys = new Set<string>();
  #wake: (() => void) | undefined;

  /** Tells of a key. */
  add(key: string): void {
    this.#keys.add(key);
    this.#wake?.();
  }

  /** Reads the keys as they come, until the signal aborts. One reader at a time. */
  async *read(signal: AbortSignal): AsyncGenerator<string> {
    const stop = (): void => this.#wake?.();
    signal.addEventListener("abort", stop, { once: true });
    try {
      while (!signal.aborted) {
        for (const key of this.#keys) {
          this.#keys.delete(key);
          yield key;
        }
        if (signal.aborted || this.#keys.size > 0) continue;
        await new Promise<void>((resolve) => (this.#wake = resolve));
        this.#wake = undefined;
      }
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}
