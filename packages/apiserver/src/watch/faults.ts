/** The keys that a watch is about, by which faults select watches. */
export interface WatchedKeys {
  /** Prefix of the keys; ends with a slash. */
  readonly prefix: string;
  /** The only key, for a watch of one object. */
  readonly key?: string;
}

/** Selects watches by their keys: `({ prefix }) => prefix.startsWith("pods/")`. */
export type WatchChoice = (watch: WatchedKeys) => boolean;

/** Callbacks of the hub: `refresh` applies changed rules, `finish` ends watches and returns their number. */
export interface FaultTarget {
  refresh(): void;
  finish(why: "dropped" | "expired", choice: WatchChoice): number;
}

interface Rule {
  readonly kind: "pause" | "delay" | "refuse";
  readonly choice: WatchChoice;
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
 * A lasting fault ends when the result of the call is disposed: `using _ = server.watchFaults.pause()`.
 */
export class WatchFaults {
  readonly #target: FaultTarget;
  readonly #rules = new Set<Rule>();
  readonly #counts = { dropped: 0, expired: 0, refused: 0 };

  /** @internal */
  constructor(target: FaultTarget) {
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
  pause(choice: WatchChoice = allWatches): Disposable {
    return this.#add({ kind: "pause", choice, delayMs: 0 });
  }

  /** Delays every change by some milliseconds. The order of changes is kept. */
  delay(ms: number, choice: WatchChoice = allWatches): Disposable {
    return this.#add({ kind: "delay", choice, delayMs: ms });
  }

  /** Rejects watches that resume from a revision with 410 at the start, as if the revision were compacted. */
  refuse(choice: WatchChoice = allWatches): Disposable {
    return this.#add({ kind: "refuse", choice, delayMs: 0 });
  }

  /** Breaks the connections of running watches. Returns their number. */
  drop(choice: WatchChoice = allWatches): number {
    const count = this.#target.finish("dropped", choice);
    this.#counts.dropped += count;
    return count;
  }

  /** Ends running watches with a 410 error event in the stream. Returns their number. */
  expire(choice: WatchChoice = allWatches): number {
    const count = this.#target.finish("expired", choice);
    this.#counts.expired += count;
    return count;
  }

  /** @internal Reports whether a watch is paused. */
  isPaused(watch: WatchedKeys): boolean {
    return this.#some("pause", watch);
  }

  /** @internal Reports whether a watch must be refused, and counts it if so. */
  isRefused(watch: WatchedKeys): boolean {
    const isRefused = this.#some("refuse", watch);
    if (isRefused) this.#counts.refused += 1;
    return isRefused;
  }

  /** @internal Returns the longest delay that applies to a watch, in milliseconds. */
  delayMsOf(watch: WatchedKeys): number {
    let delayMs = 0;
    for (const rule of this.#rules)
      if (rule.kind === "delay" && rule.choice(watch)) delayMs = Math.max(delayMs, rule.delayMs);
    return delayMs;
  }

  #some(kind: Rule["kind"], watch: WatchedKeys): boolean {
    for (const rule of this.#rules) if (rule.kind === kind && rule.choice(watch)) return true;
    return false;
  }

  #add(rule: Rule): Disposable {
    this.#rules.add(rule);
    this.#target.refresh();
    return {
      [Symbol.dispose]: () => {
        if (this.#rules.delete(rule)) this.#target.refresh();
      },
    };
  }
}
