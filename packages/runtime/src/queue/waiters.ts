interface Group {
  readonly members: Set<() => void>;
  readonly stop: () => void;
}

/** Callers that wait for a value, served in the order of their arrival. */
export class Waiters<T> {
  readonly #pending = new Set<(value: T | undefined) => void>();
  /** Callers to release when a signal aborts. One listener per signal: fifty workers share one signal. */
  readonly #groups = new Map<AbortSignal, Group>();

  get size(): number {
    return this.#pending.size;
  }

  /** Waits for a value. Resolves with `undefined` when there will be none or the signal aborts. */
  async wait(signal: AbortSignal | undefined): Promise<T | undefined> {
    if (signal?.aborted === true) return undefined;
    return new Promise((resolve) => {
      const giveUp = (): void => settle(undefined);
      const settle = (value: T | undefined): void => {
        this.#pending.delete(settle);
        if (signal !== undefined) this.#leave(signal, giveUp);
        resolve(value);
      };
      this.#pending.add(settle);
      if (signal !== undefined) this.#join(signal, giveUp);
    });
  }

  /** Resolves the caller that has waited longest. */
  resolveFirst(value: T): void {
    for (const settle of this.#pending) return settle(value);
  }

  /** Resolves all callers with the same value, or with `undefined`. */
  resolveAll(value?: T): void {
    for (const settle of this.#pending) settle(value);
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
