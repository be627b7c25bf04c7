import type { Clock, Timer } from "@homeostat/core";
import type { RevisionCompacted } from "../storage/outcomes.ts";
import type { Store } from "../storage/store.ts";
import { WatchFaults } from "./faults.ts";
import { Frames } from "./frames.ts";
import { type WatchOptions, Watcher, type WatcherHome } from "./watcher.ts";

/** How to make a {@link WatchHub}. */
export interface WatchHubOptions<T> {
  readonly store: Store<T>;
  /** Default: the store's. */
  readonly clock?: Clock;
  /** How often watchers that want bookmarks get one. Default a minute. */
  readonly bookmarkEveryMs?: number;
  /** How many changes of the whole store a watcher may be behind before it is ended as slow. Default 20,000. */
  readonly lagMax?: number;
}

/** A watch that has begun. */
export interface Watching<T> {
  readonly outcome: "watching";
  readonly watcher: Watcher<T>;
}

/** What became of the start of a watch. A revision in the future is none: the watch begins when it is there. */
export type WatchOutcome<T> = Watching<T> | RevisionCompacted;

/**
 * All watches of a store.
 *
 * @example
 * const started = hub.watch({ prefix: "pods/", from: { after: revision }, shape });
 * if (started.outcome === "watching") for await (const events of started.watcher) send(events);
 */
export class WatchHub<T> implements Disposable {
  readonly faults: WatchFaults<T>;
  readonly #home: WatcherHome<T>;
  readonly #watchers = new Set<Watcher<T>>();
  /** Of changes that a fault shows later. */
  readonly #timers = new Set<Timer>();
  readonly #unsubscribe: () => void;

  constructor({ store, clock = store.clock, bookmarkEveryMs = 60_000, lagMax = 20_000 }: WatchHubOptions<T>) {
    this.#home = {
      store,
      clock,
      frames: new Frames<T>(),
      bookmarkEveryMs,
      lagMax,
      ended: (watcher) => this.#watchers.delete(watcher),
    };
    this.faults = new WatchFaults<T>({
      refresh: () => this.#showAll(store.visibleRevision),
      finish: (why, choice) => {
        const chosen = [...this.#watchers].filter(({ options }) => choice(options));
        for (const watcher of chosen) watcher.finish({ why });
        return chosen.length;
      },
    });
    this.#unsubscribe = store.subscribe((visible) => this.#showAll(visible));
  }

  /** How many watches are running. */
  get size(): number {
    return this.#watchers.size;
  }

  /** Begins a watch, or says that it would miss changes: its revision is forgotten. */
  watch(options: WatchOptions<T>): WatchOutcome<T> {
    const { store } = this.#home;
    const { from } = options;
    const oldest = store.compactedRevision;
    if ("after" in from && (from.after < oldest || this.faults.isRefused(options)))
      return { outcome: "compacted", oldest };
    // What watchers may not see yet, they may not see as the state to begin with either.
    const found = "initial" in from ? store.at(store.visibleRevision) : undefined;
    if (found?.outcome === "compacted") return found;
    const view = found?.outcome === "found" ? found.view : undefined;
    const watcher = new Watcher<T>(this.#home, options, view);
    this.#watchers.add(watcher);
    this.#show(watcher, store.visibleRevision);
    return { outcome: "watching", watcher };
  }

  /** The watches of keys with a prefix that are running now. */
  of(prefix: string): Watcher<T>[] {
    return [...this.#watchers].filter(({ options }) => options.prefix.startsWith(prefix));
  }

  /** Ends every watch. */
  [Symbol.dispose](): void {
    this.#unsubscribe();
    for (const watcher of this.#watchers) watcher.close();
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#timers.clear();
  }

  #showAll(visible: number): void {
    for (const watcher of this.#watchers) this.#show(watcher, visible);
  }

  #show(watcher: Watcher<T>, visible: number): void {
    if (!this.faults.isActive) {
      watcher.hold(false);
      return watcher.show(visible);
    }
    const isPaused = this.faults.isPaused(watcher.options);
    watcher.hold(isPaused);
    const delayMs = this.faults.delayMsOf(watcher.options);
    if (delayMs === 0) return watcher.show(visible);
    const timer = this.#home.clock.schedule(delayMs, () => {
      this.#timers.delete(timer);
      watcher.show(visible);
    });
    this.#timers.add(timer);
  }
}
