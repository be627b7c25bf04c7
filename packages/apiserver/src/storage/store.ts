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

/** The revision of a store that nothing was ever written to, as in etcd. The first write makes 2. */
export const firstRevision = 1;

/** A store's whole state at one moment, past included. Many stores can begin with it; none of them changes it. */
export interface StoreSnapshot<T> {
  readonly view: View<T>;
  readonly history: HistoryState<T>;
  /** The time on the store's own clock when it was taken. */
  readonly nowMs: number;
}

/** How to make a {@link Store}. */
export interface StoreOptions<T> {
  readonly clock: Clock;
  /** Parses a stored value. What it returns is shared by all readers: freeze it, or let nobody change it. */
  readonly decode: (bytes: Uint8Array, revision: number) => T;
  readonly history?: HistoryLimits;
  /** How many parsed objects to remember: so many, whose values have 2 MiB together. Default 2,000. */
  readonly memoCountMax?: number;
  /** Finds what a value has in common with others, which is kept once. Default: nothing. */
  readonly findShared?: FindShared;
  /** The state to begin with, instead of an empty one. */
  readonly from?: StoreSnapshot<T>;
  /** Where to write changes down. Without one they are gone with the process. */
  readonly journal?: Journal<T>;
}

/** Bytes, or what makes them once the revision is known that they will have: an API object holds its own version. */
export type ValueSource<T> = Uint8Array | ((revision: number) => NewValue<T>);

/**
 * Key of a revision whose write could not be saved and was taken back.
 *
 * Its change has neither `before` nor `after`. Such revisions are not used again: a writer that read the state before it was taken
 * back would otherwise pass its `ifRevision` check against another value.
 */
export const lostKey = "";

const memoBytesMax = 2 * 1024 * 1024;
/** How many earlier states are held ready, for lists that are read page by page. */
const viewsMax = 8;

/**
 * Values by key, in the order of keys, with one revision for all of them that grows by one with each write.
 *
 * Everything happens at once, in the calling turn; only {@link Store.persisted} waits. A write returns its outcome, and throws a
 * {@link StorageStoppedError} while the journal cannot save changes; reads go on. Writers compare revisions (`ifRevision`); the
 * read-decide-write loop is theirs.
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
  /** States by revision, the one used last at the end. */
  readonly #views = new Map<number, View<T>>();
  /** What to take from the clock's time to have the store's own, which goes on from where a snapshot's stopped. */
  readonly #baseMs: number;
  #revision: number;
  #visible: number;
  /** The newest revision that was ever given to a write, including writes that were taken back. */
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
      persisted: (revision) => this.#show(revision),
      lost: (changes) => this.#takeBack(changes),
      resumed: () => this.#skipLost(),
    });
  }

  /** The error that makes writes fail at the moment, such as a full disk; undefined while they are accepted. */
  get writeFailure(): Error | undefined {
    return this.#journal?.failure;
  }

  /** The revision of the last write. */
  get revision(): number {
    return this.#revision;
  }

  /** The newest revision that may be shown to watchers: with a journal, the last that is written down. */
  get visibleRevision(): number {
    return this.#visible;
  }

  /** The oldest revision that can be looked at, and watched from. */
  get compactedRevision(): number {
    this.#trim();
    return this.#history.compacted;
  }

  /** How many values there are. */
  get size(): number {
    return this.#tree.size;
  }

  /** The current value of a key. */
  get(key: string): Entry<T> | undefined {
    return this.#tree.get(orderOf(key));
  }

  /** The object of an entry. It is shared: not to be changed. */
  read(entry: Entry<T>): T {
    return this.#memo.read(entry);
  }

  /** Stores a value under a key that has none. */
  create(key: string, value: ValueSource<T>): CreateOutcome<T> {
    const current = this.get(key);
    if (current !== undefined) return { outcome: "exists", current };
    return { outcome: "written", entry: this.#put(key, undefined, value) };
  }

  /** Stores a value in place of the one a key has: of that revision, if one is given. */
  update(key: string, value: ValueSource<T>, { ifRevision }: { readonly ifRevision?: number } = {}): UpdateOutcome<T> {
    const current = this.get(key);
    if (current === undefined) return { outcome: "missing" };
    if (ifRevision !== undefined && ifRevision !== current.revision) return { outcome: "conflict", current };
    return { outcome: "written", entry: this.#put(key, current, value) };
  }

  /** Removes a key, if its value is of the revision given, or whatever it is. */
  delete(key: string, { ifRevision }: { readonly ifRevision?: number } = {}): DeleteOutcome<T> {
    const current = this.get(key);
    if (current === undefined) return { outcome: "missing" };
    if (ifRevision !== undefined && ifRevision !== current.revision) return { outcome: "conflict", current };
    const revision = this.#revision + 1;
    this.#commit({ revision, key, before: current, after: undefined, atMs: this.#nowMs() });
    return { outcome: "deleted", revision, entry: current };
  }

  /**
   * Settles when everything up to a revision (by default the newest) is safe, so that it can be acknowledged.
   *
   * `undefined` when nothing needs to be waited for: there is no journal, or it is done. Rejects with a
   * {@link StorageStoppedError} when the journal failed; the write was taken back by then. `get` and the views show a write at once,
   * so a read waits for this too before it is answered, and reads again when this rejects.
   */
  persisted(revision: number = this.#revision): Promise<void> | undefined {
    return this.#journal?.persisted(revision);
  }

  /** The newest state, to look at for as long as needed. */
  view(): View<T> {
    return this.#remember(this.#revision, () => this.#tree.clone());
  }

  /** The state at a revision, newest or earlier. */
  at(revision: number): ViewOutcome<T> {
    if (revision > this.#revision) return { outcome: "future", newest: this.#revision };
    const oldest = this.compactedRevision;
    if (revision < oldest) return { outcome: "compacted", oldest };
    return { outcome: "found", view: this.#remember(revision, () => this.#rewound(revision)) };
  }

  /** The change that made a revision; `undefined` when it is forgotten, or yet to come. */
  change(revision: number): Change<T> | undefined {
    return this.#history.at(revision);
  }

  /** Calls a listener after each step of {@link Store.visibleRevision}, until the returned function is called. */
  subscribe(listener: (visible: number) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Calls an observer with each change of the newest state, before the write returns, until the returned function is called. A write
   * that is taken back is reported with `before` and `after` exchanged. For indexes that must never lag behind {@link Store.get}.
   */
  observe(observer: (change: Change<T>) => void): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  /** Forgets the past up to a revision; by default all of it. Earlier revisions are `compacted` from now on. */
  compact(revision: number = this.#visible): void {
    this.#history.compact(Math.min(revision, this.#visible));
    this.#forgetViews();
  }

  /** The whole state, for {@link StoreOptions.from}: at once, whatever its size. */
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
      throw new ArgumentError({ argument: "value", problem: "wrote to the store while it was being made." });
    const createdRevision = before?.createdRevision ?? revision;
    const entry = newEntry(key, value, { revision, createdRevision, shared: this.#shared });
    // Remembered before the commit, so that observers and listeners need not parse it.
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
    if (this.#journal === undefined) this.#show(change.revision);
  }

  /** Restores the state before changes that could not be saved. */
  #takeBack(changes: readonly Change<T>[]): void {
    for (const { revision, key, before, after, atMs } of changes.toReversed()) {
      if (before === undefined) this.#tree.delete(orderOf(key));
      else this.#tree.set(before);
      this.#revision = revision - 1;
      for (const observer of this.#observers) observer({ revision, key, before: after, after: before, atMs });
    }
    this.#history.removeAfter(this.#revision);
    for (const revision of this.#views.keys()) if (revision > this.#revision) this.#views.delete(revision);
  }

  /** Fills the revisions of lost writes with changes of nothing; see {@link lostKey}. */
  #skipLost(): void {
    const last = this.#usedRevision;
    while (this.#revision < last) {
      const revision = this.#revision + 1;
      this.#commit({ revision, key: lostKey, before: undefined, after: undefined, atMs: this.#nowMs() });
    }
  }

  #show(visible: number): void {
    this.#visible = visible;
    for (const listener of this.#listeners) listener(visible);
  }

  #nowMs(): number {
    return this.clock.monotonic() - this.#baseMs;
  }

  #trim(): void {
    const { compacted } = this.#history;
    this.#history.trim(this.#nowMs(), this.#journal === undefined ? undefined : this.#visible);
    if (this.#history.compacted !== compacted) this.#forgetViews();
  }

  /** The newest state with every change after a revision taken back, the newest first. */
  #rewound(revision: number): Tree<Entry<T>> {
    const tree = this.#tree.clone();
    for (let at = this.#revision; at > revision; at -= 1) {
      const change = this.#history.at(at);
      if (change === undefined) break;
      if (change.before === undefined) tree.delete(orderOf(change.key));
      else tree.set(change.before);
    }
    return tree;
  }

  #remember(revision: number, make: () => Tree<Entry<T>>): View<T> {
    const view = this.#views.get(revision) ?? new View<T>(revision, make());
    this.#views.delete(revision);
    this.#views.set(revision, view);
    if (this.#views.size > viewsMax) {
      const [oldest] = this.#views.keys();
      if (oldest !== undefined) this.#views.delete(oldest);
    }
    return view;
  }

  #forgetViews(): void {
    const { compacted } = this.#history;
    for (const revision of this.#views.keys()) if (revision < compacted) this.#views.delete(revision);
  }
}
