import { CelAbort } from "../failure.ts";
import { CelList, CelMap, CelUint, type CelResult, type CelValue } from "./value.ts";

/** A list backed by an array. */
export class ArrayList extends CelList {
  protected readonly elements: CelResult[];

  constructor(elements: CelResult[]) {
    super();
    this.elements = elements;
  }

  override get size(): number {
    return this.elements.length;
  }

  override at(index: number): CelResult {
    const element = this.elements[index];
    if (element === undefined) throw new RangeError(`index ${index} of a list of ${this.elements.length}`);
    return element;
  }
}

/**
 * The list that a comprehension builds: `+` appends in place.
 *
 * Without it, building n elements would copy O(n²) elements. The mutation is not observable, because the list never leaves its
 * comprehension.
 */
export class GrowingList extends ArrayList {
  /** Appends the elements of another list. */
  append(other: CelList): this {
    for (let index = 0; index < other.size; index++) this.elements.push(other.at(index));
    return this;
  }

  /** Returns the result as an immutable list. */
  finish(): CelList {
    return new ArrayList(this.elements);
  }
}

/** Returns a list of values. */
export function listOf(elements: Iterable<CelValue>): CelList {
  return new ArrayList(Array.from(elements));
}

/** Returns the elements of a list as an array. */
export function elementsOf(list: CelList): CelResult[] {
  return Array.from({ length: list.size }, (_, index) => list.at(index));
}

/** Returns `left + right`. */
export function concat(left: CelList, right: CelList): CelResult {
  if (left instanceof GrowingList) return left.append(right);
  const special = left.customConcat(right);
  if (special !== undefined) return special;
  if (left.size === 0) return right;
  if (right.size === 0) return left;
  return new ArrayList([...elementsOf(left), ...elementsOf(right)]);
}

interface Entry {
  readonly key: CelValue;
  readonly value: CelValue;
}

/** A map backed by a JavaScript Map. */
export class EntryMap extends CelMap {
  // Uints are stored separately from ints, because a literal may have both keys 1 and 1u. Lookups try the other type too.
  readonly #entries: Map<CelValue, Entry> = new Map();
  readonly #uints: Map<bigint, Entry> = new Map();

  constructor(entries: Iterable<readonly [CelValue, CelValue]> = []) {
    super();
    for (const [key, value] of entries) this.put(key, value);
  }

  override get size(): number {
    return this.#entries.size + this.#uints.size;
  }

  override find(key: CelValue): CelValue | undefined {
    rejectBytes(key);
    if (key instanceof CelUint) return (this.#uints.get(key.value) ?? this.#entries.get(key.value))?.value;
    const exact = this.#entries.get(key);
    if (exact !== undefined) return exact.value;
    if (typeof key === "bigint") return this.#uints.get(key)?.value;
    if (typeof key !== "number" || !Number.isInteger(key)) return undefined;
    const whole = BigInt(key);
    return (this.#entries.get(whole) ?? this.#uints.get(whole))?.value;
  }

  override keys(): readonly CelValue[] {
    return [...this.#entries.values(), ...this.#uints.values()].map((entry) => entry.key);
  }

  /** Sets a key. Only for use while the map is built. */
  put(key: CelValue, value: CelValue): this {
    rejectBytes(key);
    if (key instanceof CelUint) this.#uints.set(key.value, { key, value });
    else this.#entries.set(key, { key, value });
    return this;
  }

  /** Removes a key. Only for use while the map is built. */
  remove(key: CelValue): void {
    if (key instanceof CelUint) this.#uints.delete(key.value);
    else this.#entries.delete(key);
  }
}

/** Aborts the evaluation if a key is bytes, as the API server does. */
function rejectBytes(key: CelValue): void {
  if (key instanceof Uint8Array) {
    throw new CelAbort("internal error: runtime error: hash of unhashable type types.Bytes");
  }
}

/** The map that a comprehension builds by adding entries in place. */
export class GrowingMap extends EntryMap {}

/** Returns a map with the given entries. An entry replaces an earlier one with the same key. */
export function mapOf(entries: Iterable<readonly [CelValue, CelValue]>): CelMap {
  return new EntryMap(entries);
}
