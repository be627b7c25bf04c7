import type { Stored } from "@homeostat/core";
import type { Audience } from "./audience.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { Change, type ChangeParts, copyOf, type Side } from "./event.ts";
import type { Indexes } from "./indexes.ts";
import { type Item, keptBytes, type Owners, ownersOf } from "./item.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Base, OwnWrites } from "./own-writes.ts";
import type { Known } from "./rules.ts";

/** What {@link Contents} is made of. */
export interface ContentsParts<T> {
  readonly store: ObjectStore<T>;
  readonly dispatcher: Dispatcher<T>;
  readonly indexes: Indexes<T>;
}

/** The objects of an informer together with everything that has to know when one changes: indexes and subscribers. */
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

  /** The slot of an object, or -1. */
  find({ namespace, name }: Pick<Item, "namespace" | "name">): number {
    return this.store.find(namespace, name);
  }

  /** What is there under the name of an item. */
  known(slot: number, item: Item): Known | undefined {
    if (slot < 0) return undefined;
    return { version: this.store.versionOf(slot), isSameUid: this.store.hasUidOf(slot, item) };
  }

  insert(item: Item, { audience, mark = 0 }: { audience?: Audience | undefined; mark?: number } = {}): void {
    const slot = this.store.insert(item);
    // A slot that is used again has the mark of the object before. What a list did not show has no mark, even while one
    // is under way: the list may turn out to be newer, and then the object is gone.
    this.store.mark(slot, mark);
    const owners = this.#ownersOf(item);
    this.#indexes.set(slot, owners);
    if (!this.#dispatcher.isIdle) this.emit({ type: "add", key: this.store.keyOf(slot), slot, audience, owners });
  }

  replace(slot: number, item: Item, audience?: Audience): void {
    const old = this.#side(slot);
    this.store.replace(slot, item);
    const owners = this.#ownersOf(item);
    this.#indexes.set(slot, owners);
    if (old !== undefined) this.emit({ type: "update", key: this.store.keyOf(slot), slot, old, audience, owners });
    this.#tidy();
  }

  remove(slot: number, audience?: Audience): void {
    const old = this.#side(slot);
    const key = old === undefined && this.#writes.isEmpty ? "" : this.store.keyOf(slot);
    if (!this.#writes.isEmpty) this.#writes.noteDeletion(key, this.store.uidOf(slot));
    this.#indexes.delete(slot);
    this.store.remove(slot);
    if (old !== undefined) this.emit({ type: "delete", key, slot, old, audience });
    this.#tidy();
  }

  /** Tells everybody of a change. */
  emit(parts: ChangeParts<T>): void {
    if (this.#dispatcher.isIdle) return;
    const change = new Change(this.store, parts);
    if (!this.#writes.isEmpty) this.#writes.noteTold(change.key, (writer) => change.isKnownTo(writer));
    this.#dispatcher.emit(change);
  }

  /** To be called before a change that may come from within a handler. */
  beforeChange(): void {
    this.#dispatcher.beforeChange();
  }

  /** What is in a slot, or nothing, in a form that lasts. Without subscribers nobody will ask for the bytes. */
  baseOf(slot: number): Base {
    if (slot < 0) return { bytes: undefined, version: undefined };
    const bytes = this.#dispatcher.isIdle ? undefined : copyOf(this.store.viewOf(slot));
    return { bytes, version: this.store.versionOf(slot) };
  }

  /** The object of an item, as it would be if it were in the store. */
  objectOf(item: Item, key: string): Stored<T> {
    return this.store.parseBytes(keptBytes(item), key);
  }

  /** The owners of an item, if anybody may ask. */
  #ownersOf(item: Item): Owners | undefined {
    return this.#indexes.isEmpty && this.#dispatcher.isIdle ? undefined : ownersOf(item);
  }

  /** What is in a slot, for an event that tells what was there before. */
  #side(slot: number): Side<T> | undefined {
    if (this.#dispatcher.isIdle) return undefined;
    return { bytes: this.store.viewOf(slot), parsed: this.store.parsedOf(slot) };
  }

  /** Bytes go only when no handler can be reading them. */
  #tidy(): void {
    if (!this.#dispatcher.isBusy) this.store.tidy();
  }
}
