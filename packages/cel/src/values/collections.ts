import { CelAbort } from "../failure.ts";
import { CelList, CelMap, CelUint, type CelResult, type CelValue } from "./value.ts";

/** A list that holds its elements. */
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
 * The list a comprehension builds: `+` adds to it in place.
 *
 * It never leaves its comprehension, so nobody sees it change; without it, building n elements takes n² copies.
 */
export class GrowingList extends ArrayList {
  /** Adds the elements of another list at the end. */
  append(other: CelList): this {
    for (let index = 0; index < other.size; index++) this.elements.push(other.at(index));
    return this;
  }

  /** The list as it stands, for the world outside. */
  finish(): CelList {
    return new ArrayList(this.elements);
  }
}

/** A list of values. */
export function listOf(elements: Iterable<CelValue>): CelList {
  return new ArrayList(Array.from(elements));
}

/** The elements of a list as an array. */
export function elementsOf(list: CelList): CelResult[] {
  return Array.from({ length: list.size }, (_, index) => list.at(index));
}

/** One list after the other. */
export function concat(left: CelList, right: CelList): CelResult {
  if (left instanceof GrowingList) return left.append(right);
  const special = left.concatSpecially(right);
  if (special !== undefined) return special;
  if (left.size === 0) return right;
  if (right.size === 0) return left;
  return new ArrayList([...elementsOf(left), ...elementsOf(right)]);
}

interface Entry {
  readonly key: CelValue;
  readonly value: CelValue;
}

/** A map that holds its entries. */
export class EntryMap extends CelMap {
  // Uints live apart from ints, because a literal may hold both 1 and 1u; lookups then try the other kind.
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
    refuseBytes(key);
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

  /** Sets a key. For whoever is still building the map. */
  put(key: CelValue, value: CelValue): this {
    refuseBytes(key);
    if (key instanceof CelUint) this.#uints.set(key.value, { key, value });
    else this.#entries.set(key, { key, value });
    return this;
  }

  /** Removes a key. For whoever is still building the map. */
  remove(key: CelValue): void {
    if (key instanceof CelUint) this.#uints.delete(key.value);
    else this.#entries.delete(key);
  }
}

/** Bytes as a key end an evaluation in the API server, so they do here. */
function refuseBytes(key: CelValue): void {
  if (key instanceof Uint8Array) {
    throw new CelAbort("internal error: runtime error: hash of unhashable type types.Bytes");
  }
}

/** The map a comprehension builds, to which entries are added in place. */
export class GrowingMap extends EntryMap {}

/** A map with the given entries; a later one replaces an earlier one with the same key. */
export function mapOf(entries: Iterable<readonly [CelValue, CelValue]>): CelMap {
  return new EntryMap(entries);
}
