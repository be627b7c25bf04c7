import type { Stored } from "@homeostat/core";
import type { Owners } from "./item.ts";
import type { ObjectStore } from "./object-store.ts";

/** A function that returns the values under which an object is found. */
export interface IndexFunction<T> {
  (object: Stored<T>): IndexValues;
  /** Returns the same values from the owner references alone. If present, objects need not be parsed for the index. */
  readonly ofOwners?: (owners: Owners) => IndexValues;
}

/** No value, one, or several. */
export type IndexValues = string | readonly string[] | undefined;

/**
 * The slots of one value. Most values have a single object; a `Set` for each of them would take most of the memory of
 * an index.
 */
interface Bucket {
  readonly value: string;
  slots: number | Set<number>;
}

/** One index: slots by value, and values by slot. */
class Index<T> {
  readonly #buckets = new Map<string, Bucket>();
  readonly #bucketsOf: (readonly Bucket[] | undefined)[] = [];
  readonly #values: IndexFunction<T>;
  users = 1;

  constructor(values: IndexFunction<T>) {
    this.#values = values;
  }

  get values(): IndexFunction<T> {
    return this.#values;
  }

  set(slot: number, given: IndexValues): void {
    const values = typeof given === "string" ? [given] : (given ?? nothing);
    const before = this.#bucketsOf[slot] ?? nothing;
    if (before.length === values.length && before.every(({ value }, i) => value === values[i])) return;
    this.delete(slot);
    const [first] = values;
    if (first === undefined) return;
    this.#bucketsOf[slot] =
      values.length === 1 ? [this.#add(first, slot)] : [...new Set(values)].map((value) => this.#add(value, slot));
  }

  delete(slot: number): void {
    for (const bucket of this.#bucketsOf[slot] ?? nothing) {
      if (typeof bucket.slots !== "number") bucket.slots.delete(slot);
      if (typeof bucket.slots === "number" || bucket.slots.size === 0) this.#buckets.delete(bucket.value);
    }
    this.#bucketsOf[slot] = undefined;
  }

  slots(value: string): readonly number[] {
    const slots = this.#buckets.get(value)?.slots;
    if (slots === undefined) return nothing;
    return typeof slots === "number" ? [slots] : [...slots];
  }

  count(value: string): number {
    const slots = this.#buckets.get(value)?.slots;
    if (slots === undefined) return 0;
    return typeof slots === "number" ? 1 : slots.size;
  }

  *valuesInUse(): Generator<string> {
    yield* this.#buckets.keys();
  }

  #add(value: string, slot: number): Bucket {
    const bucket = this.#buckets.get(value);
    if (bucket === undefined) {
      const made: Bucket = { value, slots: slot };
      this.#buckets.set(value, made);
      return made;
    }
    if (typeof bucket.slots === "number") bucket.slots = new Set([bucket.slots]);
    bucket.slots.add(slot);
    return bucket;
  }
}

/**
 * The indexes of a store.
 *
 * An index is identified by its function: two handles that pass the same function share the index. Without any index,
 * nothing is parsed on arrival.
 */
export class Indexes<T> {
  readonly #store: ObjectStore<T>;
  readonly #onError: (error: unknown) => void;
  readonly #indexes = new Map<IndexFunction<T>, Index<T>>();

  constructor(store: ObjectStore<T>, onError: (error: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  /** Adds an index and fills it with the stored objects. */
  add(values: IndexFunction<T>): void {
    const existing = this.#indexes.get(values);
    if (existing !== undefined) {
      existing.users += 1;
      return;
    }
    const index = new Index(values);
    this.#indexes.set(values, index);
    for (const slot of this.#store.slots()) this.#setOne(index, slot);
  }

  /** Removes an index when its last user removes it. */
  remove(values: IndexFunction<T>): void {
    const index = this.#indexes.get(values);
    if (index === undefined) return;
    index.users -= 1;
    if (index.users === 0) this.#indexes.delete(values);
  }

  /** True if there is no index. */
  get isEmpty(): boolean {
    return this.#indexes.size === 0;
  }

  /** Updates the indexes for a new or changed object. Its owners, if known, may make parsing it unnecessary. */
  set(slot: number, owners?: Owners): void {
    if (this.#indexes.size === 0) return;
    for (const index of this.#indexes.values()) this.#setOne(index, slot, owners);
  }

  /** Removes an object from the indexes. */
  delete(slot: number): void {
    if (this.#indexes.size === 0) return;
    for (const index of this.#indexes.values()) index.delete(slot);
  }

  /** Returns the slots of the objects with a value. */
  slots(values: IndexFunction<T>, value: string): readonly number[] {
    return this.#indexes.get(values)?.slots(value) ?? nothing;
  }

  /** Returns the number of objects with a value. */
  count(values: IndexFunction<T>, value: string): number {
    return this.#indexes.get(values)?.count(value) ?? 0;
  }

  /** Returns all values that at least one object has. */
  valuesOf(values: IndexFunction<T>): readonly string[] {
    return [...(this.#indexes.get(values)?.valuesInUse() ?? nothing)];
  }

  /**
   * Updates one index. If the function throws, the object is omitted from the index; other objects and indexes are not
   * affected.
   */
  #setOne(index: Index<T>, slot: number, owners?: Owners): void {
    const { values } = index;
    try {
      const isEnough = owners !== undefined && values.ofOwners !== undefined;
      index.set(slot, isEnough ? values.ofOwners(owners) : values(this.#store.objectForScan(slot)));
    } catch (error) {
      index.delete(slot);
      this.#onError(error);
    }
  }
}

const nothing: readonly never[] = [];
