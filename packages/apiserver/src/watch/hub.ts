import type { Clock, Timer } from "@homeostat/core";
import type { RevisionCompacted } from "../storage/outcomes.ts";
import type { Store } from "../storage/store.ts";
import { WatchFaults } from "./faults.ts";
import { Frames } from "./frames.ts";
import { type WatchOptions, Watcher, type WatcherContext } from "./watcher.ts";

/** Options of {@link WatchHub}. */
export interface WatchHubOptions<T> {
  readonly store: Store<T>;
  /** Default: the clock of the store. */
  readonly clock?: Clock;
  /**
   * Interval of bookmarks in milliseconds, for watchers that requested them. Default one minute, as in kube-apiserver.
   */
  readonly bookmarkEveryMs?: number;
  /** Number of changes of the whole store that a watcher may be behind before it is ended as slow. Default 20,000. */
  readonly lagMax?: number;
}

/** A watch that has started. */
export interface Watching<T> {
  readonly outcome: "watching";
  readonly watcher: Watcher<T>;
}

/**
 * Result of starting a watch. A revision in the future is not an error: the watch sends events once that revision
 * exists.
 */
export type WatchOutcome<T> = Watching<T> | RevisionCompacted;

/**
 * All watches of a store. Takes the role of kube-apiserver's watch cache.
 *
 * kube-apiserver keeps a window of recent events per resource and a buffer per watcher. Here the history of the store
 * is that window, for all resources, and a watcher is only a position in it. The hub tells each watcher how far it may
 * read (the store's `visibleRevision`); the watcher fetches the changes when its client is ready for them.
 *
 * Watchers see a change when it is durable, not when it is accepted. Otherwise a client could act on a write that a crash undoes, and after
 * the restart the same revision would name another change.
 *
 * @example
 * const started = hub.watch({ prefix: "pods/", from: { after: revision }, shape });
 * if (started.outcome === "watching") for await (const events of started.watcher) send(events);
 */
export class WatchHub<T> implements Disposable {
  readonly faults: WatchFaults;
  readonly #context: WatcherContext<T>;
  readonly #watchers = new Set<Watcher<T>>();
  /** Timers of delayed changes. */
  readonly #timers = new Set<Timer>();
  readonly #unsubscribe: () => void;

  constructor({ store, clock = store.clock, bookmarkEveryMs = 60_000, lagMax = 20_000 }: WatchHubOptions<T>) {
    this.#context = {
      store,
      clock,
      frames: new Frames<T>(),
      bookmarkEveryMs,
      lagMax,
      ended: (watcher) => this.#watchers.delete(watcher),
    };
    this.faults = new WatchFaults({
      refresh: () => this.#advanceAll(store.visibleRevision),
      finish: (why, choice) => {
        const chosen = [...this.#watchers].filter(({ options }) => choice(options));
        for (const watcher of chosen) watcher.finish({ why });
        return chosen.length;
      },
    });
    this.#unsubscribe = store.subscribe((visible) => this.#advanceAll(visible));
  }

  /** Number of running watches. */
  get size(): number {
    return this.#watchers.size;
  }

  /**
   * Starts a watch. Returns `compacted` if changes after its revision are no longer in the history: the client must
   * list again.
   */
  watch(options: WatchOptions<T>): WatchOutcome<T> {
    const { store } = this.#context;
    const { from } = options;
    const oldest = store.compactedRevision;
    if ("after" in from && (from.after < oldest || this.faults.isRefused(options)))
      return { outcome: "compacted", oldest };
    // The initial state must not contain unsaved writes, which watchers may not see either.
    const found = "initial" in from ? store.at(store.visibleRevision) : undefined;
    if (found?.outcome === "compacted") return found;
    const view = found?.outcome === "found" ? found.view : undefined;
    const watcher = new Watcher<T>(this.#context, options, view);
    this.#watchers.add(watcher);
    this.#advance(watcher, store.visibleRevision);
    return { outcome: "watching", watcher };
  }

  /** Returns the running watches whose prefix starts with the given one. */
  of(prefix: string): Watcher<T>[] {
    return [...this.#watchers].filter(({ options }) => options.prefix.startsWith(prefix));
  }

  /** Ends all watches. */
  [Symbol.dispose](): void {
    this.#unsubscribe();
    for (const watcher of this.#watchers) watcher.close();
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#timers.clear();
  }

  #advanceAll(visible: number): void {
    for (const watcher of this.#watchers) this.#advance(watcher, visible);
  }

  #advance(watcher: Watcher<T>, visible: number): void {
    if (!this.faults.isActive) {
      watcher.hold(false);
      return watcher.show(visible);
    }
    const isPaused = this.faults.isPaused(watcher.options);
    watcher.hold(isPaused);
    const delayMs = this.faults.delayMsOf(watcher.options);
    if (delayMs === 0) return watcher.show(visible);
    const timer = this.#context.clock.schedule(delayMs, () => {
      this.#timers.delete(timer);
      watcher.show(visible);
    });
    this.#timers.add(timer);
  }
}
