import type { Stored } from "@homeostat/core";
import type { Owners } from "./item.ts";
import type { ObjectStore } from "./object-store.ts";

/** Under which values an object is to be found. */
export interface IndexFunction<T> {
  (object: Stored<T>): IndexValues;
  /** The same for an object of which only its owners are known, where no more is needed: then it need not be parsed. */
  readonly ofOwners?: (owners: Owners) => IndexValues;
}

/** No value, one, or several. */
export type IndexValues = string | readonly string[] | undefined;

/** The slots of one value. Most values have one object, and a set for each of them would be most of the memory. */
interface Bucket {
  readonly value: string;
  slots: number | Set<number>;
}

/** Objects by values derived from them, kept up to date with every change. */
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
 * An index is known by its function: two that share one share the work. As long as there is none, nothing is parsed.
 */
export class Indexes<T> {
  readonly #store: ObjectStore<T>;
  readonly #onError: (error: unknown) => void;
  readonly #indexes = new Map<IndexFunction<T>, Index<T>>();

  constructor(store: ObjectStore<T>, onError: (error: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  /** Adds an index, and fills it with what is there. */
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

  /** Takes an index out when nobody uses it any more. */
  remove(values: IndexFunction<T>): void {
    const index = this.#indexes.get(values);
    if (index === undefined) return;
    index.users -= 1;
    if (index.users === 0) this.#indexes.delete(values);
  }

  /** Whether there is any. */
  get isEmpty(): boolean {
    return this.#indexes.size === 0;
  }

  /** An object is new, or has changed. Its owners, if they are known, may save reading it. */
  set(slot: number, owners?: Owners): void {
    if (this.#indexes.size === 0) return;
    for (const index of this.#indexes.values()) this.#setOne(index, slot, owners);
  }

  /** An object goes. */
  delete(slot: number): void {
    if (this.#indexes.size === 0) return;
    for (const index of this.#indexes.values()) index.delete(slot);
  }

  /** The slots of the objects with a value. */
  slots(values: IndexFunction<T>, value: string): readonly number[] {
    return this.#indexes.get(values)?.slots(value) ?? nothing;
  }

  /** The values that any object has. */
  valuesOf(values: IndexFunction<T>): readonly string[] {
    return [...(this.#indexes.get(values)?.valuesInUse() ?? nothing)];
  }

  /** An object that the function cannot cope with is in no place of the index, and the others are none the worse. */
  #setOne(index: Index<T>, slot: number, owners?: Owners): void {
    const { values } = index;
    try {
      const isEnough = owners !== undefined && values.ofOwners !== undefined;
      index.set(slot, isEnough ? values.ofOwners(owners) : values(this.#store.passingObjectOf(slot)));
    } catch (error) {
      index.delete(slot);
      this.#onError(error);
    }
  }
}

const nothing: readonly never[] = [];
