/** One who reads news: the keys that wait for it, and how it is woken. */
interface Reader {
  readonly keys: Set<string>;
  wake: (() => void) | undefined;
}

/** Keys of which something new is known. Every reader gets each of them, at most once until it has read it. */
export class News {
  readonly #readers = new Set<Reader>();

  /** How many read. */
  get readers(): number {
    return this.#readers.size;
  }

  /** Tells of a key. */
  add(key: string): void {
    for (const reader of this.#readers) {
      reader.keys.add(key);
      reader.wake?.();
    }
  }

  /** Reads the keys as they come, until the signal aborts. */
  async *read(signal: AbortSignal): AsyncGenerator<string> {
    const reader: Reader = { keys: new Set(), wake: undefined };
    const stop = (): void => reader.wake?.();
    this.#readers.add(reader);
    signal.addEventListener("abort", stop, { once: true });
    try {
      while (!signal.aborted) {
        for (const key of reader.keys) {
          reader.keys.delete(key);
          yield key;
        }
        if (signal.aborted || reader.keys.size > 0) continue;
        await new Promise<void>((resolve) => (reader.wake = resolve));
        reader.wake = undefined;
      }
    } finally {
      signal.removeEventListener("abort", stop);
      this.#readers.delete(reader);
    }
  }
}
