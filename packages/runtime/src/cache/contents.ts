import type { Stored } from "@homeostat/core";
import type { Audience } from "./audience.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { Change, type ChangeParts, copyOf, type ObjectState } from "./event.ts";
import type { Indexes } from "./indexes.ts";
import { type Item, keptBytes, type Owners, ownersOf } from "./item.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Base, OwnWrites } from "./own-writes.ts";
import type { Known } from "./rules.ts";

/** Dependencies of {@link Contents}. */
export interface ContentsParts<T> {
  readonly store: ObjectStore<T>;
  readonly dispatcher: Dispatcher<T>;
  readonly indexes: Indexes<T>;
}

/** The objects of an informer, with the indexes and subscribers that must follow every change. */
export class Contents<T> {
  readonly store: ObjectStore<T>;
  readonly #dispatcher: Dispatcher<T>;
  readonly #indexes: Indexes<T>;
  readonly #writes: OwnWrites;

  constructor({ store, dispatcher, indexes }: ContentsParts<T>, writes: OwnWrites) {
    this.store = store;
    this.#dispatcher = dispatcher;
    this.#indexes = indexes;
    this.#writes = writes;
  }

  /** Returns the slot of an object, or -1. */
  find({ namespace, name }: Pick<Item, "namespace" | "name">): number {
    return this.store.find(namespace, name);
  }

  /** Returns the version of the stored object, and whether it has the uid of the item; undefined if the slot is -1. */
  known(slot: number, item: Item): Known | undefined {
    if (slot < 0) return undefined;
    return { version: this.store.versionOf(slot), isSameUid: this.store.hasUidOf(slot, item) };
  }

  insert(item: Item, { audience, mark = 0 }: { audience?: Audience | undefined; mark?: number } = {}): void {
    const slot = this.store.insert(item);
    // A reused slot still has the mark of the previous object. An object that the list in progress has not shown gets
    // no mark: if the list turns out to be newer, the object was deleted.
    this.store.mark(slot, mark);
    const owners = this.#ownersOf(item);
    this.#indexes.set(slot, owners);
    if (!this.#dispatcher.isIdle) this.emit({ type: "add", key: this.store.keyOf(slot), slot, audience, owners });
  }

  replace(slot: number, item: Item, audience?: Audience): void {
    const old = this.#previousState(slot);
    this.store.replace(slot, item);
    const owners = this.#ownersOf(item);
    this.#indexes.set(slot, owners);
    if (old !== undefined) this.emit({ type: "update", key: this.store.keyOf(slot), slot, old, audience, owners });
    this.#compact();
  }

  remove(slot: number, audience?: Audience): void {
    const old = this.#previousState(slot);
    const key = old === undefined && this.#writes.isEmpty ? "" : this.store.keyOf(slot);
    if (!this.#writes.isEmpty) this.#writes.noteDeletion(key, this.store.uidOf(slot));
    this.#indexes.delete(slot);
    this.store.remove(slot);
    if (old !== undefined) this.emit({ type: "delete", key, slot, old, audience });
    this.#compact();
  }

  /** Dispatches a change to all subscribers. */
  emit(parts: ChangeParts<T>): void {
    if (this.#dispatcher.isIdle) return;
    const change = new Change(this.store, parts);
    if (!this.#writes.isEmpty) this.#writes.noteNotified(change.key, (writer) => change.isKnownTo(writer));
    this.#dispatcher.emit(change);
  }

  /** Keeps the event being handled readable; see {@link Dispatcher.beforeChange}. */
  beforeChange(): void {
    this.#dispatcher.beforeChange();
  }

  /**
   * Returns the state in a slot, independent of the store. Without subscribers the bytes are omitted, since no event
   * will need them.
   */
  baseOf(slot: number): Base {
    if (slot < 0) return { bytes: undefined, version: undefined };
    const bytes = this.#dispatcher.isIdle ? undefined : copyOf(this.store.viewOf(slot));
    return { bytes, version: this.store.versionOf(slot) };
  }

  /** Returns the object of an item as it would be read from the store. */
  objectOf(item: Item, key: string): Stored<T> {
    return this.store.parseBytes(keptBytes(item), key);
  }

  /** Returns the owners of an item if an index or a subscriber may need them. */
  #ownersOf(item: Item): Owners | undefined {
    return this.#indexes.isEmpty && this.#dispatcher.isIdle ? undefined : ownersOf(item);
  }

  /** Returns the state in a slot as the previous state of an event; undefined if there are no subscribers. */
  #previousState(slot: number): ObjectState<T> | undefined {
    if (this.#dispatcher.isIdle) return undefined;
    return { bytes: this.store.viewOf(slot), parsed: this.store.parsedOf(slot) };
  }

  /** Frees dead bytes, unless a handler may be reading them. */
  #compact(): void {
    if (!this.#dispatcher.isBusy) this.store.compact();
  }
}
