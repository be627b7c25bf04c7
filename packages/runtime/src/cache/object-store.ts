import { asStored, type Stored, formatKey, ParseError } from "@homeostat/core";
import { type Item, noUid, textFrom } from "./item.ts";
import { Memo, type MemoLimits } from "./memo.ts";
import { Slabs } from "./slabs.ts";
import type { Version } from "./version.ts";

/** The objects of one namespace, by name. */
interface Space {
  readonly namespace: string;
  readonly slots: Map<string, number>;
}

/** Options of an {@link ObjectStore}. */
export interface ObjectStoreOptions<T> {
  /** Makes an object of its text. What it returns is frozen. */
  readonly parse: (text: string) => T;
  /** How many parsed objects to keep. */
  readonly memo?: MemoLimits;
  readonly slabBytesMax?: number;
}

/**
 * Objects as bytes outside the JavaScript heap, found by namespace and name, parsed and frozen when somebody reads them.
 *
 * Each has a slot, a small number that it keeps as long as it is there; the slot of an object that went is given to a
 * new one. What a call says about a slot is meant for a slot in use.
 */
export class ObjectStore<T> {
  readonly #parse: (text: string) => T;
  readonly #slabs: Slabs;
  readonly #memo: Memo<Stored<T>>;
  readonly #spaces = new Map<string, Space>();
  readonly #names: (string | undefined)[] = [];
  readonly #spaceOf: (Space | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  /** Versions too large for a number stand here, and as infinity in the array. */
  readonly #largeVersions = new Map<number, bigint>();
  #versions: Float64Array = new Float64Array(16);
  #uidOffsets: Uint32Array = new Uint32Array(16);
  #marks: Uint32Array = new Uint32Array(16);
  #size = 0;

  constructor({ parse, memo, slabBytesMax }: ObjectStoreOptions<T>) {
    this.#parse = parse;
    this.#memo = new Memo(memo);
    this.#slabs = new Slabs(slabBytesMax === undefined ? {} : { slabBytesMax });
  }

  /** How many objects there are. */
  get size(): number {
    return this.#size;
  }

  /** One more than the highest slot ever used. */
  get slotsEnd(): number {
    return this.#names.length;
  }

  /** The bytes of all objects. */
  get liveBytes(): number {
    return this.#slabs.liveBytes;
  }

  /** The memory taken for them outside the heap. */
  get heldBytes(): number {
    return this.#slabs.heldBytes;
  }

  /** The slot of an object, or -1. */
  find(namespace: string, name: string): number {
    return this.#spaces.get(namespace)?.slots.get(name) ?? -1;
  }

  /** Whether a slot is in use. */
  has(slot: number): boolean {
    return this.#names[slot] !== undefined;
  }

  /** Takes in an object that is not there yet, and returns its slot. */
  insert(item: Item): number {
    const slot = this.#freeSlots.pop() ?? this.#names.length;
    let space = this.#spaces.get(item.namespace);
    if (space === undefined) {
      space = { namespace: item.namespace, slots: new Map() };
      this.#spaces.set(item.namespace, space);
    }
    space.slots.set(item.name, slot);
    this.#names[slot] = item.name;
    this.#spaceOf[slot] = space;
    this.#size += 1;
    this.replace(slot, item);
    return slot;
  }

  /** Puts new bytes in place of an object's. */
  replace(slot: number, item: Item): void {
    this.#slabs.put(slot, item.bytes, item.cut);
    this.#memo.delete(slot);
    this.#grow(slot);
    this.#uidOffsets[slot] = item.uidOffset;
    const { version } = item;
    if (typeof version === "bigint") this.#largeVersions.set(slot, version);
    else if (this.#largeVersions.size > 0) this.#largeVersions.delete(slot);
    this.#versions[slot] = typeof version === "bigint" ? Infinity : (version ?? Number.NaN);
  }

  /** Takes an object out. */
  remove(slot: number): void {
    const name = this.#names[slot];
    const space = this.#spaceOf[slot];
    if (name === undefined || space === undefined) return;
    space.slots.delete(name);
    if (space.slots.size === 0) this.#spaces.delete(space.namespace);
    this.#names[slot] = undefined;
    this.#spaceOf[slot] = undefined;
    this.#freeSlots.push(slot);
    this.#largeVersions.delete(slot);
    this.#memo.delete(slot);
    this.#slabs.remove(slot);
    this.#size -= 1;
  }

  namespaceOf(slot: number): string {
    return this.#spaceOf[slot]?.namespace ?? "";
  }

  nameOf(slot: number): string {
    return this.#names[slot] ?? "";
  }

  /** `namespace/name`, or the name alone. */
  keyOf(slot: number): string {
    const namespace = this.namespaceOf(slot);
    const name = this.nameOf(slot);
    return formatKey(namespace === "" ? { name } : { namespace, name });
  }

  versionOf(slot: number): Version | undefined {
    const version = this.#versions[slot];
    if (version === Infinity) return this.#largeVersions.get(slot);
    return version === undefined || Number.isNaN(version) ? undefined : version;
  }

  /** Whether the object has the uid of an item: with another one it is another object of the same name. */
  hasUidOf(slot: number, item: Item): boolean {
    const offset = this.#uidOffsets[slot] ?? noUid;
    if (offset === noUid || item.uidStart < 0) return offset === noUid && item.uidStart < 0;
    // With the quote behind it, or one uid that begins like another would do.
    return this.#slabs.matches(slot, offset, item.bytes, item.uidStart, item.uidEnd + 1);
  }

  /** Whether the object's bytes are those of an item. */
  hasBytesOf(slot: number, { bytes, cut: { start, cutStart, cutEnd, end } }: Item): boolean {
    const length = this.#slabs.view(slot)?.length;
    return (
      length === cutStart - start + (end - cutEnd) &&
      this.#slabs.matches(slot, 0, bytes, start, cutStart) &&
      this.#slabs.matches(slot, cutStart - start, bytes, cutEnd, end)
    );
  }

  /** The uid as text; empty when it has none. */
  uidOf(slot: number): string {
    const offset = this.#uidOffsets[slot] ?? noUid;
    const view = offset === noUid ? undefined : this.#slabs.view(slot);
    return view === undefined ? "" : textFrom(view, offset);
  }

  /** The bytes of an object, not a copy: good until the next {@link ObjectStore.tidy}. */
  viewOf(slot: number): Buffer | undefined {
    return this.#slabs.view(slot);
  }

  /** The object, frozen. Throws a `ParseError` when its bytes are not JSON. */
  objectOf(slot: number): Stored<T> {
    return this.#memo.get(slot) ?? this.#read(slot, true);
  }

  /** The same for somebody who reads a great many: what is read often by others is not pushed out of the memo. */
  passingObjectOf(slot: number): Stored<T> {
    return this.#memo.peek(slot) ?? this.#read(slot, this.#size <= this.#memo.countMax);
  }

  /** The object if it has been parsed already. */
  parsedOf(slot: number): Stored<T> | undefined {
    return this.#memo.peek(slot);
  }

  /** Drops all parsed objects. They are parsed again when they are read. */
  releaseParsed(): void {
    this.#memo.clear();
  }

  /** Every slot in use, or those of one namespace. What is inserted meanwhile may come or not. */
  *slots(namespace?: string): Generator<number> {
    if (namespace !== undefined) {
      yield* this.#spaces.get(namespace)?.slots.values() ?? [];
      return;
    }
    for (const { slots } of this.#spaces.values()) yield* slots.values();
  }

  /** Notes a number with a slot, and {@link ObjectStore.markOf} gives it back. */
  mark(slot: number, mark: number): void {
    this.#marks[slot] = mark;
  }

  markOf(slot: number): number {
    return this.#marks[slot] ?? 0;
  }

  /** Gives room back after changes. Views are void after this. */
  tidy(): void {
    this.#slabs.tidy();
  }

  /** An object of bytes that came from {@link ObjectStore.viewOf}. */
  parseBytes(bytes: Buffer, key: string): Stored<T> {
    return this.#freeze(bytes.toString("utf8"), key);
  }

  #read(slot: number, isKept: boolean): Stored<T> {
    const text = this.#slabs.text(slot) ?? "";
    const object = this.#freeze(text, slot);
    if (isKept) this.#memo.set(slot, object, text.length);
    return object;
  }

  #freeze(text: string, place: number | string): Stored<T> {
    try {
      return asStored(this.#parse(text));
    } catch (cause) {
      const key = typeof place === "number" ? this.keyOf(place) : place;
      const problem = "the server sent something that is no object";
      throw new ParseError({ what: `object ${key}`, input: text, offset: 0, problem }, { cause });
    }
  }

  #grow(slot: number): void {
    if (slot < this.#versions.length) return;
    const length = Math.max(slot + 1, Math.ceil(this.#versions.length * 1.5));
    const versions = new Float64Array(length);
    versions.set(this.#versions);
    this.#versions = versions;
    const uidOffsets = new Uint32Array(length);
    uidOffsets.set(this.#uidOffsets);
    this.#uidOffsets = uidOffsets;
    const marks = new Uint32Array(length);
    marks.set(this.#marks);
    this.#marks = marks;
  }
}
