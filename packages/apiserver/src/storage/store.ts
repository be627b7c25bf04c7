import { ArgumentError, type Clock } from "@homeostat/core";
import { type Entry, newEntry, type NewValue } from "./entry.ts";
import { StorageStoppedError } from "./errors.ts";
import { type Change, emptyHistory, History, type HistoryLimits, type HistoryState } from "./history.ts";
import type { Journal } from "./journal.ts";
import { orderOf } from "./key-order.ts";
import { Memo } from "./memo.ts";
import type { CreateOutcome, DeleteOutcome, UpdateOutcome, ViewOutcome } from "./outcomes.ts";
import { type FindShared, SharedParts } from "./shared-parts.ts";
import { Tree } from "./tree.ts";
import { View } from "./view.ts";

/** Revision of an empty store, as in etcd. The first write has revision 2. */
export const firstRevision = 1;

/**
 * Complete state of a store at one moment, including its history. Any number of stores can start from it; none of them
 * changes it.
 */
export interface StoreSnapshot<T> {
  /** @internal */
  readonly view: View<T>;
  /** @internal */
  readonly history: HistoryState<T>;
  /** Time on the store's own clock when the snapshot was taken. */
  readonly nowMs: number;
}

/** Options of {@link Store}. */
export interface StoreOptions<T> {
  readonly clock: Clock;
  /** Parses a stored value. All readers share the result: freeze it, or make sure that no reader changes it. */
  readonly decode: (bytes: Uint8Array, revision: number) => T;
  readonly history?: HistoryLimits;
  /** Maximum number of cached parsed objects, whose values are limited to 2 MiB in total. Default 2,000. */
  readonly memoCountMax?: number;
  /** Finds the part that a value has in common with others, which is stored once. Default: none. */
  readonly findShared?: FindShared;
  /** Initial state. Default: empty. */
  readonly from?: StoreSnapshot<T>;
  /** Journal that saves changes. Without one, the store exists in memory only. */
  readonly journal?: Journal<T>;
}

/**
 * Bytes, or a function that encodes them once their revision is known: an API object contains its own
 * `resourceVersion`.
 */
export type ValueSource<T> = Uint8Array | ((revision: number) => NewValue<T>);

/**
 * Key of the change that fills a revision whose write could not be saved and was reverted.
 *
 * The change has neither `before` nor `after`. The revisions of reverted writes are not reused: a writer that read the
 * state before it was reverted would otherwise pass its `ifRevision` check against a different value.
 */
export const lostKey = "";

const memoBytesMax = 2 * 1024 * 1024;
/** Number of recently used views that are kept, for lists that are read in pages. */
const viewsMax = 8;

/**
 * An ordered key-value store with one revision for all keys, like etcd: every write increments it by one.
 *
 * Reads and writes are synchronous; only {@link Store.persisted} waits. A write returns its outcome, and throws a
 * {@link StorageStoppedError} while the journal cannot save changes; reads still work then. Writers use optimistic
 * concurrency (`ifRevision`) and retry on a conflict themselves.
 *
 * **Two revisions.** `revision` is that of the last write in memory. `visibleRevision` is the newest one that the
 * journal has saved. Watchers only see changes up to `visibleRevision`, and a response that depends on a later one
 * waits for `persisted`. Otherwise a client could act on a write that a crash or a full disk then reverts. Without a
 * journal the two are always equal.
 *
 * **Reads of the past.** The tree is copy-on-write, so a view of the newest state is a cheap clone. A view of an
 * earlier revision is a clone with the later changes of the history undone, back to `compactedRevision`.
 *
 * @example
 * const store = new Store({ clock, decode: parse });
 * const created = store.create("pods/default/web", (revision) => encode({ ...pod, revision }));
 * await store.persisted();
 */
export class Store<T> {
  readonly clock: Clock;
  readonly #tree: Tree<Entry<T>>;
  readonly #history: History<T>;
  readonly #memo: Memo<T>;
  readonly #shared: SharedParts;
  readonly #journal: Journal<T> | undefined;
  readonly #listeners = new Set<(visible: number) => void>();
  readonly #observers = new Set<(change: Change<T>) => void>();
  /** Views by revision, the most recently used one last. */
  readonly #views = new Map<number, View<T>>();
  /** Difference between the clock and the store's own time, which continues where that of a snapshot stopped. */
  readonly #baseMs: number;
  #revision: number;
  #visible: number;
  /** Newest revision that was ever assigned to a write, including reverted writes. */
  #usedRevision: number;

  constructor({ clock, decode, history = {}, memoCountMax = 2000, findShared, from, journal }: StoreOptions<T>) {
    this.clock = clock;
    this.#tree = from?.view.cloneTree() ?? new Tree<Entry<T>>();
    this.#revision = from?.view.revision ?? firstRevision;
    this.#history = new History<T>(history, from?.history ?? emptyHistory(firstRevision));
    this.#baseMs = clock.monotonic() - (from?.nowMs ?? 0);
    this.#memo = new Memo<T>({ countMax: memoCountMax, bytesMax: memoBytesMax, decode });
    this.#shared = new SharedParts(findShared);
    this.#journal = journal;
    this.#visible = this.#revision;
    this.#usedRevision = this.#revision;
    journal?.listen({
      persisted: (revision) => this.#setVisible(revision),
      lost: (changes) => this.#revert(changes),
      resumed: () => this.#fillLostRevisions(),
    });
  }

  /** Error that currently makes writes fail, such as a full disk; undefined while they are accepted. */
  get writeFailure(): Error | undefined {
    return this.#journal?.failure;
  }

  /** Revision of the last write in memory. It may not be saved yet. */
  get revision(): number {
    return this.#revision;
  }

  /** Newest revision that may be shown to watchers: with a journal, the newest saved one. */
  get visibleRevision(): number {
    return this.#visible;
  }

  /** Oldest revision that can be read and watched from. */
  get compactedRevision(): number {
    this.#trim();
    return this.#history.compacted;
  }

  /** Number of values. */
  get size(): number {
    return this.#tree.size;
  }

  /** Returns the current entry of a key. */
  get(key: string): Entry<T> | undefined {
    return this.#tree.get(orderOf(key));
  }

  /** Returns the parsed object of an entry. It is shared and must not be changed. */
  read(entry: Entry<T>): T {
    return this.#memo.read(entry);
  }

  /** Stores a value under a key that does not exist. */
  create(key: string, value: ValueSource<T>): CreateOutcome<T> {
    const current = this.get(key);
    if (current !== undefined) return { outcome: "exists", current };
    return { outcome: "written", entry: this.#put(key, undefined, value) };
  }

  /** Replaces the value of a key. With `ifRevision`, only if the current value has that revision. */
  update(key: string, value: ValueSource<T>, { ifRevision }: { readonly ifRevision?: number } = {}): UpdateOutcome<T> {
    const current = this.get(key);
    if (current === undefined) return { outcome: "missing" };
    if (ifRevision !== undefined && ifRevision !== current.revision) return { outcome: "conflict", current };
    return { outcome: "written", entry: this.#put(key, current, value) };
  }

  /** Deletes a key. With `ifRevision`, only if the current value has that revision. */
  delete(key: string, { ifRevision }: { readonly ifRevision?: number } = {}): DeleteOutcome<T> {
    const current = this.get(key);
    if (current === undefined) return { outcome: "missing" };
    if (ifRevision !== undefined && ifRevision !== current.revision) return { outcome: "conflict", current };
    const revision = this.#revision + 1;
    this.#commit({ revision, key, before: current, after: undefined, atMs: this.#nowMs() });
    return { outcome: "deleted", revision, entry: current };
  }

  /**
   * Returns a promise that resolves when all writes up to a revision (default: the newest) are saved and can be
   * acknowledged.
   *
   * Returns undefined if there is nothing to wait for: the store has no journal, or the revision is saved. The promise
   * rejects with a {@link StorageStoppedError} if saving failed; the write is reverted by then. `get` and views show a
   * write at once, so a read must wait for this promise too before its response is sent, and must be repeated if it
   * rejects.
   */
  persisted(revision: number = this.#revision): Promise<void> | undefined {
    return this.#journal?.persisted(revision);
  }

  /** Returns a view of the newest state. It never changes and can be held for as long as needed. */
  view(): View<T> {
    return this.#viewOf(this.#revision, () => this.#tree.clone());
  }

  /** Returns a view of the state at a revision. */
  at(revision: number): ViewOutcome<T> {
    if (revision > this.#revision) return { outcome: "future", newest: this.#revision };
    const oldest = this.compactedRevision;
    if (revision < oldest) return { outcome: "compacted", oldest };
    return { outcome: "found", view: this.#viewOf(revision, () => this.#rewindTo(revision)) };
  }

  /** Returns the change with a revision; undefined if it is compacted or does not exist yet. */
  change(revision: number): Change<T> | undefined {
    return this.#history.at(revision);
  }

  /** Calls a listener after each increase of {@link Store.visibleRevision}, until the returned function is called. */
  subscribe(listener: (visible: number) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Calls an observer with each change of the newest state, saved or not, before the write returns, until the returned
   * function is called. A reverted write is reported with `before` and `after` exchanged. For indexes that must never
   * lag behind {@link Store.get}.
   */
  observe(observer: (change: Change<T>) => void): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  /**
   * Compacts the history up to a revision; default: all of it that is visible. Older revisions can no longer be read or
   * watched from.
   */
  compact(revision: number = this.#visible): void {
    this.#history.compact(Math.min(revision, this.#visible));
    this.#dropCompactedViews();
  }

  /** Returns the complete state, for {@link StoreOptions.from}. Copies no values, so it is fast for any size. */
  snapshot(): StoreSnapshot<T> {
    this.#trim();
    return {
      view: this.view(),
      history: this.#history.state(),
      nowMs: this.#nowMs(),
    };
  }

  #put(key: string, before: Entry<T> | undefined, source: ValueSource<T>): Entry<T> {
    const revision = this.#revision + 1;
    const value = typeof source === "function" ? source(revision) : { bytes: source };
    if (this.#revision + 1 !== revision)
      throw new ArgumentError({ argument: "value", problem: "wrote to the store while it was being encoded." });
    const createdRevision = before?.createdRevision ?? revision;
    const entry = newEntry(key, value, { revision, createdRevision, shared: this.#shared });
    // Cache the object before the commit, so that observers and listeners need not parse it.
    if (value.object !== undefined) {
      if (before === undefined) this.#memo.keepNew(entry, value.object);
      else this.#memo.keep(entry, value.object);
    }
    this.#commit({ revision, key, before, after: entry, atMs: this.#nowMs() });
    return entry;
  }

  #commit(change: Change<T>): void {
    const failure = this.#journal?.failure;
    if (failure !== undefined) throw new StorageStoppedError({ cause: failure });
    this.#journal?.append(change);
    if (change.after === undefined) this.#tree.delete(orderOf(change.key));
    else this.#tree.set(change.after);
    this.#revision = change.revision;
    this.#usedRevision = Math.max(this.#usedRevision, change.revision);
    this.#history.add(change);
    this.#trim();
    for (const observer of this.#observers) observer(change);
    if (this.#journal === undefined) this.#setVisible(change.revision);
  }

  /**
   * Reverts changes that could not be saved, newest first, and reports each of them to the observers in reverse.
   *
   * Views of reverted revisions are dropped. `#usedRevision` keeps its value, so {@link Store.#fillLostRevisions} knows
   * what to fill.
   */
  #revert(changes: readonly Change<T>[]): void {
    for (const { revision, key, before, after, atMs } of changes.toReversed()) {
      if (before === undefined) this.#tree.delete(orderOf(key));
      else this.#tree.set(before);
      this.#revision = revision - 1;
      for (const observer of this.#observers) observer({ revision, key, before: after, after: before, atMs });
    }
    this.#history.removeAfter(this.#revision);
    for (const revision of this.#views.keys()) if (revision > this.#revision) this.#views.delete(revision);
  }

  /** Fills the revisions of reverted writes with empty changes; see {@link lostKey}. */
  #fillLostRevisions(): void {
    const last = this.#usedRevision;
    while (this.#revision < last) {
      const revision = this.#revision + 1;
      this.#commit({ revision, key: lostKey, before: undefined, after: undefined, atMs: this.#nowMs() });
    }
  }

  #setVisible(visible: number): void {
    this.#visible = visible;
    for (const listener of this.#listeners) listener(visible);
  }

  #nowMs(): number {
    return this.clock.monotonic() - this.#baseMs;
  }

  #trim(): void {
    const { compacted } = this.#history;
    this.#history.trim(this.#nowMs(), this.#journal === undefined ? undefined : this.#visible);
    if (this.#history.compacted !== compacted) this.#dropCompactedViews();
  }

  /** Returns the newest state with every change after a revision undone, newest first. */
  #rewindTo(revision: number): Tree<Entry<T>> {
    const tree = this.#tree.clone();
    for (let at = this.#revision; at > revision; at -= 1) {
      const change = this.#history.at(at);
      if (change === undefined) break;
      if (change.before === undefined) tree.delete(orderOf(change.key));
      else tree.set(change.before);
    }
    return tree;
  }

  #viewOf(revision: number, make: () => Tree<Entry<T>>): View<T> {
    const view = this.#views.get(revision) ?? new View<T>(revision, make());
    this.#views.delete(revision);
    this.#views.set(revision, view);
    if (this.#views.size > viewsMax) {
      const [oldest] = this.#views.keys();
      if (oldest !== undefined) this.#views.delete(oldest);
    }
    return view;
  }

  #dropCompactedViews(): void {
    const { compacted } = this.#history;
    for (const revision of this.#views.keys()) if (revision < compacted) this.#views.delete(revision);
  }
}
