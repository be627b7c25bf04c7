import type { WatchOptions } from "./watcher.ts";

/** Chooses watches by what they ask for: `({ prefix }) => prefix.startsWith("pods/")`. */
export type WatchChoice<T> = (options: WatchOptions<T>) => boolean;

/** What the hub does when rules change, and to watches that a fault ends. */
export interface FaultTarget<T> {
  refresh(): void;
  finish(why: "dropped" | "expired", choice: WatchChoice<T>): number;
}

interface Rule<T> {
  readonly kind: "pause" | "delay" | "refuse";
  readonly choice: WatchChoice<T>;
  readonly delayMs: number;
}

/** How often each fault struck. */
export interface FaultCounts {
  readonly dropped: number;
  readonly expired: number;
  readonly refused: number;
}

function everyWatch(): boolean {
  return true;
}

/**
 * Trouble with watches on demand, for tests and simulations. Each call concerns all watches unless it is given a choice.
 *
 * What lasts is ended by disposing of what the call returned: `using _ = hub.faults.pause()`.
 */
export class WatchFaults<T> {
  readonly #target: FaultTarget<T>;
  readonly #rules = new Set<Rule<T>>();
  readonly #counts = { dropped: 0, expired: 0, refused: 0 };

  constructor(target: FaultTarget<T>) {
    this.#target = target;
  }

  /** How often faults that strike once have struck. */
  get counts(): FaultCounts {
    return { ...this.#counts };
  }

  /** Whether any lasting fault is on. */
  get isActive(): boolean {
    return this.#rules.size > 0;
  }

  /** Holds watches, those begun meanwhile included: they stay open and say nothing, not even bookmarks. */
  pause(choice: WatchChoice<T> = everyWatch): Disposable {
    return this.#add({ kind: "pause", choice, delayMs: 0 });
  }

  /** Lets watches see each change so much later. Their order stays. */
  delay(ms: number, choice: WatchChoice<T> = everyWatch): Disposable {
    return this.#add({ kind: "delay", choice, delayMs: ms });
  }

  /** Answers watches that resume from a revision as if that were forgotten: 410 at the start. */
  refuse(choice: WatchChoice<T> = everyWatch): Disposable {
    return this.#add({ kind: "refuse", choice, delayMs: 0 });
  }

  /** Breaks the connections of running watches; returns how many. */
  drop(choice: WatchChoice<T> = everyWatch): number {
    const count = this.#target.finish("dropped", choice);
    this.#counts.dropped += count;
    return count;
  }

  /** Ends running watches with a 410 in the stream; returns how many. */
  expire(choice: WatchChoice<T> = everyWatch): number {
    const count = this.#target.finish("expired", choice);
    this.#counts.expired += count;
    return count;
  }

  isPaused(options: WatchOptions<T>): boolean {
    return this.#some("pause", options);
  }

  /** Whether a watch is to be refused; counts it if so. */
  isRefused(options: WatchOptions<T>): boolean {
    const isRefused = this.#some("refuse", options);
    if (isRefused) this.#counts.refused += 1;
    return isRefused;
  }

  /** The longest delay that concerns a watch. */
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
