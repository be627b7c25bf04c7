import type { WatchOptions } from "./watcher.ts";

/** Selects watches by their options: `({ prefix }) => prefix.startsWith("pods/")`. */
export type WatchChoice<T> = (options: WatchOptions<T>) => boolean;

/** Callbacks of the hub: `refresh` applies changed rules, `finish` ends watches and returns their number. */
export interface FaultTarget<T> {
  refresh(): void;
  finish(why: "dropped" | "expired", choice: WatchChoice<T>): number;
}

interface Rule<T> {
  readonly kind: "pause" | "delay" | "refuse";
  readonly choice: WatchChoice<T>;
  readonly delayMs: number;
}

/** Number of watches that each fault hit. */
export interface FaultCounts {
  readonly dropped: number;
  readonly expired: number;
  readonly refused: number;
}

function allWatches(): boolean {
  return true;
}

/**
 * Injects faults into watches, for tests and simulations. Each method applies to all watches unless it gets a choice.
 *
 * A lasting fault ends when the result of the call is disposed: `using _ = hub.faults.pause()`.
 */
export class WatchFaults<T> {
  readonly #target: FaultTarget<T>;
  readonly #rules = new Set<Rule<T>>();
  readonly #counts = { dropped: 0, expired: 0, refused: 0 };

  constructor(target: FaultTarget<T>) {
    this.#target = target;
  }

  /** Number of watches dropped, expired and refused so far. */
  get counts(): FaultCounts {
    return { ...this.#counts };
  }

  /** True while a lasting fault is active. */
  get isActive(): boolean {
    return this.#rules.size > 0;
  }

  /** Pauses watches, including those that start meanwhile: they stay open and send nothing, not even bookmarks. */
  pause(choice: WatchChoice<T> = allWatches): Disposable {
    return this.#add({ kind: "pause", choice, delayMs: 0 });
  }

  /** Delays every change by some milliseconds. The order of changes is kept. */
  delay(ms: number, choice: WatchChoice<T> = allWatches): Disposable {
    return this.#add({ kind: "delay", choice, delayMs: ms });
  }

  /** Rejects watches that resume from a revision with 410 at the start, as if the revision were compacted. */
  refuse(choice: WatchChoice<T> = allWatches): Disposable {
    return this.#add({ kind: "refuse", choice, delayMs: 0 });
  }

  /** Breaks the connections of running watches. Returns their number. */
  drop(choice: WatchChoice<T> = allWatches): number {
    const count = this.#target.finish("dropped", choice);
    this.#counts.dropped += count;
    return count;
  }

  /** Ends running watches with a 410 error event in the stream. Returns their number. */
  expire(choice: WatchChoice<T> = allWatches): number {
    const count = this.#target.finish("expired", choice);
    this.#counts.expired += count;
    return count;
  }

  isPaused(options: WatchOptions<T>): boolean {
    return this.#some("pause", options);
  }

  /** Reports whether a watch must be refused, and counts it if so. */
  isRefused(options: WatchOptions<T>): boolean {
    const isRefused = this.#some("refuse", options);
    if (isRefused) this.#counts.refused += 1;
    return isRefused;
  }

  /** Returns the longest delay that applies to a watch, in milliseconds. */
  delayMsOf(options: WatchOptions<T>): number {
    let delayMs = 0;
    for (const rule of this.#rules)
      if (rule.kind === "delay" && rule.choice(options)) delayMs = Math.max(delayMs, rule.delayMs);
    return delayMs;
  }

  #some(kind: Rule<T>["kind"], options: WatchOptions<T>): boolean {
    for (const rule of this.#rules) if (rule.kind === kind && rule.choice(options)) return true;
    return false;
  }

  #add(rule: Rule<T>): Disposable {
    this.#rules.add(rule);
    this.#target.refresh();
    return {
      [Symbol.dispose]: () => {
        if (this.#rules.delete(rule)) this.#target.refresh();
      },
    };
  }
}
