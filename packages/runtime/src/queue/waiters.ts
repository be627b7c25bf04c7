interface Group {
  readonly members: Set<() => void>;
  readonly stop: () => void;
}

/** Callers that wait for something, first come, first served. */
export class Waiters<T> {
  readonly #settlers = new Set<(value: T | undefined) => void>();
  /** Who gives up when a signal aborts. One listener for all of them: fifty workers share one signal. */
  readonly #groups = new Map<AbortSignal, Group>();

  get size(): number {
    return this.#settlers.size;
  }

  /** Resolves with what is given, or with `undefined` when there will be nothing or the signal aborts. */
  async wait(signal: AbortSignal | undefined): Promise<T | undefined> {
    if (signal?.aborted === true) return undefined;
    return new Promise((resolve) => {
      const giveUp = (): void => settle(undefined);
      const settle = (value: T | undefined): void => {
        this.#settlers.delete(settle);
        if (signal !== undefined) this.#leave(signal, giveUp);
        resolve(value);
      };
      this.#settlers.add(settle);
      if (signal !== undefined) this.#join(signal, giveUp);
    });
  }

  /** Gives a value to whoever has waited longest. */
  give(value: T): void {
    for (const settle of this.#settlers) return settle(value);
  }

  /** Gives every caller the same, or nothing. */
  giveAll(value?: T): void {
    for (const settle of this.#settlers) settle(value);
  }

  #join(signal: AbortSignal, giveUp: () => void): void {
    let group = this.#groups.get(signal);
    if (group === undefined) {
      const members = new Set<() => void>();
      const stop = (): void => {
        for (const member of members) member();
      };
      group = { members, stop };
      this.#groups.set(signal, group);
      signal.addEventListener("abort", stop);
    }
    group.members.add(giveUp);
  }

  #leave(signal: AbortSignal, giveUp: () => void): void {
    const group = this.#groups.get(signal);
    if (group === undefined) return;
    group.members.delete(giveUp);
    if (group.members.size > 0) return;
    this.#groups.delete(signal);
    signal.removeEventListener("abort", group.stop);
  }
}
