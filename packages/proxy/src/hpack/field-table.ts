import { CompressionFault } from "./compression-fault.ts";
import { type FieldName, type NameKind, NameCache, nameKinds, pseudoKindMax, staticFieldNames } from "./field-names.ts";
import { checkHuffmanValue, checkPlainValue, decodeHuffman, invalidCode, invalidValue } from "./huffman.ts";
import { IntegerReader } from "./prefix-integer.ts";
import { staticCount, staticValues } from "./static-table.ts";

const plain = 0;
const huffman = 1;
const fromStaticTable = 2;

/** Limits of a list of fields. */
export interface FieldLimits {
  readonly fieldsMax: number;
  /** Sum of the lengths of names and values, and 32 for each field. */
  readonly listBytesMax: number;
}

/**
 * The fields of a header block that needs no dynamic table: names, and the positions of fields and values in the block.
 *
 * Values stay encoded. Most of them are copied to the other connection as they are; only those that the router reads become texts. All of them are
 * checked, though. One table is filled again for each block; `copy` keeps one.
 */
export class FieldTable {
  bytes: Buffer = Buffer.alloc(0);
  count = 0;
  /** Problem that makes the message malformed: a stream error. Undefined if there is none. */
  problem: string | undefined;
  isTooLarge = false;
  readonly #limits: FieldLimits;
  readonly #cache: NameCache;
  readonly #integers = new IntegerReader();
  readonly #names: string[] = [];
  readonly #kinds: NameKind[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #valueStarts: number[] = [];
  readonly #valueEnds: number[] = [];
  readonly #codings: number[] = [];
  #listBytes = 0;
  #hasRegular = false;

  constructor(limits: FieldLimits, cache: NameCache = new NameCache()) {
    this.#limits = limits;
    this.#cache = cache;
  }

  nameAt(index: number): string {
    return this.#names[index] ?? "";
  }

  kindAt(index: number): NameKind {
    return this.#kinds[index] ?? nameKinds.invalid;
  }

  /** Position of the whole field in `bytes`. */
  startAt(index: number): number {
    return this.#starts[index] ?? 0;
  }

  endAt(index: number): number {
    return this.#ends[index] ?? 0;
  }

  /** Returns the value of a field, with one code unit per byte. */
  valueAt(index: number): string {
    const start = this.#valueStarts[index] ?? 0;
    const coding = this.#codings[index];
    if (coding === fromStaticTable) return staticValues[start] ?? "";
    const end = this.#valueEnds[index] ?? 0;
    if (coding === plain) return this.bytes.toString("latin1", start, end);
    return decodeHuffman(this.bytes, start, end) ?? "";
  }

  /** Returns the value of a name, or all values if the name is repeated. */
  get(name: string): string | readonly string[] | undefined {
    const names = this.#names;
    let found = -1;
    let more: string[] | undefined;
    for (let index = 0; index < this.count; index += 1) {
      if (names[index] !== name) continue;
      if (found === -1) found = index;
      else (more ??= [this.valueAt(found)]).push(this.valueAt(index));
    }
    return more ?? (found === -1 ? undefined : this.valueAt(found));
  }

  /** Returns a table that is independent of the buffer and of this table. */
  copy(): FieldTable {
    const copy = new FieldTable(this.#limits, this.#cache);
    copy.scan(Buffer.from(this.bytes.subarray(this.startAt(0), this.endAt(this.count - 1))), 0);
    return copy;
  }

  /** Reads the fields of a block. Throws a `CompressionFault` if it cannot be decoded without a dynamic table. */
  scan(bytes: Buffer, start: number, end: number = bytes.length): void {
    this.bytes = bytes;
    this.count = 0;
    this.problem = undefined;
    this.isTooLarge = false;
    this.#listBytes = 0;
    this.#hasRegular = false;
    const integers = this.#integers;
    let at = start;
    while (at < end) {
      const byte = bytes[at] ?? 0;
      if (byte >= 0x80) {
        const index = byte === 0xff ? integers.readBits(bytes, at, end, 0x7f) : byte & 0x7f;
        const next = byte === 0xff ? integers.at : at + 1;
        if (index === 0 || index > staticCount) throw new CompressionFault("an index is beyond the static table");
        this.#add(staticName(index), at, next);
        const field = this.count - 1;
        this.#valueStarts[field] = index;
        this.#codings[field] = fromStaticTable;
        this.#listBytes += staticValues[index]?.length ?? 0;
        at = next;
      } else if ((byte & 0xe0) === 0x20) {
        if (this.count > 0) throw new CompressionFault("a table size update follows a field");
        if (integers.readBits(bytes, at, end, 0x1f) !== 0)
          throw new CompressionFault("a table size update exceeds the limit");
        at = integers.at;
      } else at = this.#literal(bytes, at, end, byte);
    }
    if (this.count > this.#limits.fieldsMax || this.#listBytes > this.#limits.listBytesMax) this.isTooLarge = true;
  }

  #literal(bytes: Buffer, at: number, end: number, byte: number): number {
    const integers = this.#integers;
    const index = integers.readBits(bytes, at, end, (byte & 0x40) === 0 ? 0x0f : 0x3f);
    let position = integers.at;
    let name: FieldName | undefined;
    if (index === 0) {
      const length = integers.readBits(bytes, position, end, 0x7f);
      const from = integers.at;
      if (from + length > end) throw new CompressionFault("a name ends after its header block");
      name = this.#cache.get(bytes, from, from + length, (bytes[position] ?? 0) >= 0x80);
      if (name === undefined) throw new CompressionFault("a name has an invalid Huffman code");
      position = from + length;
    } else {
      if (index > staticCount) throw new CompressionFault("an index is beyond the static table");
      name = staticName(index);
    }
    const length = integers.readBits(bytes, position, end, 0x7f);
    const from = integers.at;
    const to = from + length;
    if (to > end) throw new CompressionFault("a value ends after its header block");
    const isHuffman = (bytes[position] ?? 0) >= 0x80;
    const decoded = isHuffman ? checkHuffmanValue(bytes, from, to) : checkPlainValue(bytes, from, to);
    if (decoded === invalidCode) throw new CompressionFault("a value has an invalid Huffman code");
    if (decoded === invalidValue) this.problem ??= "a field has an invalid value";
    else this.#listBytes += decoded;
    this.#add(name, at, to);
    const field = this.count - 1;
    this.#valueStarts[field] = from;
    this.#valueEnds[field] = to;
    this.#codings[field] = isHuffman ? huffman : plain;
    return to;
  }

  #add({ name, kind }: FieldName, start: number, end: number): void {
    const field = this.count;
    this.#names[field] = name;
    this.#kinds[field] = kind;
    this.#starts[field] = start;
    this.#ends[field] = end;
    this.count = field + 1;
    this.#listBytes += name.length + 32;
    if (kind === nameKinds.invalid) this.problem ??= "a field has an invalid name";
    else if (kind === nameKinds.connection) this.problem ??= "a field describes the connection";
    else if (kind !== nameKinds.regular && kind <= pseudoKindMax) {
      if (this.#hasRegular) this.problem ??= "a pseudo-header field follows a regular field";
    } else this.#hasRegular = true;
  }
}

function staticName(index: number): FieldName {
  const name = staticFieldNames[index];
  if (name === undefined) throw new CompressionFault("an index is beyond the static table");
  return name;
}
