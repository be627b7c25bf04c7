import { asStored, type Stored, formatKey, ParseError } from "@homeostat/core";
import { type Item, noUid, textFrom } from "./item.ts";
import { Memo, type MemoLimits } from "./memo.ts";
import { Slabs } from "./slabs.ts";
import type { Version } from "./version.ts";

/** The slots of the objects of one namespace, by name. */
interface NamespaceEntry {
  readonly namespace: string;
  readonly slots: Map<string, number>;
}

/** Options of an {@link ObjectStore}. */
export interface ObjectStoreOptions<T> {
  /** Parses the text of an object. The result is then frozen. */
  readonly parse: (text: string) => T;
  /** Limits on the parsed objects that are kept. */
  readonly memo?: MemoLimits;
  readonly slabBytesMax?: number;
}

/**
 * A store of objects as JSON bytes outside the JavaScript heap, found by namespace and name, parsed and frozen when
 * read.
 *
 * Parsed objects would live on the heap, where every full garbage collection has to traverse them. Bytes are outside
 * of it, so a large cache neither fills the heap nor slows the collector down.
 *
 * Each object has a slot, a small integer that stays the same for its lifetime and is reused afterwards. Versions, uid
 * positions and marks are typed arrays indexed by slot, instead of one JavaScript object per stored object. Methods
 * that take a slot expect one that is in use.
 */
export class ObjectStore<T> {
  readonly #parse: (text: string) => T;
  readonly #slabs: Slabs;
  readonly #memo: Memo<Stored<T>>;
  readonly #namespaces = new Map<string, NamespaceEntry>();
  readonly #names: (string | undefined)[] = [];
  readonly #namespaceBySlot: (NamespaceEntry | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  /**
   * Versions too large for a `number`. In the typed array they are `Infinity`; versions that are not numbers are `NaN`
   * there.
   */
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

  /** Number of stored objects. */
  get size(): number {
    return this.#size;
  }

  /** One more than the highest slot ever used. */
  get slotsEnd(): number {
    return this.#names.length;
  }

  /** Total bytes of the stored objects. */
  get liveBytes(): number {
    return this.#slabs.liveBytes;
  }

  /** Memory allocated for them outside the heap. */
  get heldBytes(): number {
    return this.#slabs.heldBytes;
  }

  /** Returns the slot of an object, or -1. */
  find(namespace: string, name: string): number {
    return this.#namespaces.get(namespace)?.slots.get(name) ?? -1;
  }

  /** Reports whether a slot is in use. */
  has(slot: number): boolean {
    return this.#names[slot] !== undefined;
  }

  /** Adds an object that is not stored yet, and returns its slot. */
  insert(item: Item): number {
    const slot = this.#freeSlots.pop() ?? this.#names.length;
    let entry = this.#namespaces.get(item.namespace);
    if (entry === undefined) {
      entry = { namespace: item.namespace, slots: new Map() };
      this.#namespaces.set(item.namespace, entry);
    }
    entry.slots.set(item.name, slot);
    this.#names[slot] = item.name;
    this.#namespaceBySlot[slot] = entry;
    this.#size += 1;
    this.replace(slot, item);
    return slot;
  }

  /** Replaces the bytes of an object. */
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

  /** Removes an object. */
  remove(slot: number): void {
    const name = this.#names[slot];
    const entry = this.#namespaceBySlot[slot];
    if (name === undefined || entry === undefined) return;
    entry.slots.delete(name);
    if (entry.slots.size === 0) this.#namespaces.delete(entry.namespace);
    this.#names[slot] = undefined;
    this.#namespaceBySlot[slot] = undefined;
    this.#freeSlots.push(slot);
    this.#largeVersions.delete(slot);
    this.#memo.delete(slot);
    this.#slabs.remove(slot);
    this.#size -= 1;
  }

  namespaceOf(slot: number): string {
    return this.#namespaceBySlot[slot]?.namespace ?? "";
  }

  nameOf(slot: number): string {
    return this.#names[slot] ?? "";
  }

  /** Returns `namespace/name`, or the name alone for a cluster-scoped object. */
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

  /** Reports whether the object has the uid of an item. With another uid it is another object of the same name. */
  hasUidOf(slot: number, item: Item): boolean {
    const offset = this.#uidOffsets[slot] ?? noUid;
    if (offset === noUid || item.uidStart < 0) return offset === noUid && item.uidStart < 0;
    // Compare including the closing quote: otherwise a uid would equal a longer one that begins with it.
    return this.#slabs.matches(slot, offset, item.bytes, item.uidStart, item.uidEnd + 1);
  }

  /** Reports whether the object's bytes equal those of an item. */
  hasBytesOf(slot: number, { bytes, cut: { start, cutStart, cutEnd, end } }: Item): boolean {
    const length = this.#slabs.view(slot)?.length;
    return (
      length === cutStart - start + (end - cutEnd) &&
      this.#slabs.matches(slot, 0, bytes, start, cutStart) &&
      this.#slabs.matches(slot, cutStart - start, bytes, cutEnd, end)
    );
  }

  /** Returns the uid; empty if the object has none. */
  uidOf(slot: number): string {
    const offset = this.#uidOffsets[slot] ?? noUid;
    const view = offset === noUid ? undefined : this.#slabs.view(slot);
    return view === undefined ? "" : textFrom(view, offset);
  }

  /**
   * Returns the bytes of an object without copying them. They are valid until the next {@link ObjectStore.compact}.
   */
  viewOf(slot: number): Buffer | undefined {
    return this.#slabs.view(slot);
  }

  /** Returns the object, frozen. Throws a `ParseError` if its bytes are not valid JSON. */
  objectOf(slot: number): Stored<T> {
    return this.#memo.get(slot) ?? this.#read(slot, true);
  }

  /**
   * Like {@link ObjectStore.objectOf}, for a scan over many objects: it does not evict objects that are read often
   * from the memo.
   */
  objectForScan(slot: number): Stored<T> {
    return this.#memo.peek(slot) ?? this.#read(slot, this.#size <= this.#memo.countMax);
  }

  /** Returns the object if it is already parsed. */
  parsedOf(slot: number): Stored<T> | undefined {
    return this.#memo.peek(slot);
  }

  /** Drops all parsed objects. They are parsed again on the next read. */
  releaseParsed(): void {
    this.#memo.clear();
  }

  /**
   * Yields all slots in use, or those of one namespace. Objects inserted during the iteration may or may not be
   * included.
   */
  *slots(namespace?: string): Generator<number> {
    if (namespace !== undefined) {
      yield* this.#namespaces.get(namespace)?.slots.values() ?? [];
      return;
    }
    for (const { slots } of this.#namespaces.values()) yield* slots.values();
  }

  /**
   * Stores a number for a slot, returned by {@link ObjectStore.markOf}. The ledger marks objects with the number of
   * the last list that contained them.
   */
  mark(slot: number, mark: number): void {
    this.#marks[slot] = mark;
  }

  markOf(slot: number): number {
    return this.#marks[slot] ?? 0;
  }

  /** Frees dead bytes after changes. Invalidates the buffers returned by {@link ObjectStore.viewOf}. */
  compact(): void {
    this.#slabs.compact();
  }

  /** Parses bytes returned by {@link ObjectStore.viewOf}, or a copy of them. */
  parseBytes(bytes: Buffer, key: string): Stored<T> {
    return this.#freeze(bytes.toString("utf8"), key);
  }

  #read(slot: number, isKept: boolean): Stored<T> {
    const text = this.#slabs.text(slot) ?? "";
    const object = this.#freeze(text, slot);
    if (isKept) this.#memo.set(slot, object, text.length);
    return object;
  }

  #freeze(text: string, slotOrKey: number | string): Stored<T> {
    try {
      return asStored(this.#parse(text));
    } catch (cause) {
      const key = typeof slotOrKey === "number" ? this.keyOf(slotOrKey) : slotOrKey;
      const problem = "the server sent an object that cannot be parsed";
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
