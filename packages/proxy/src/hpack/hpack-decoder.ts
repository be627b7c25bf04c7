import { CompressionFault } from "./compression-fault.ts";
import { DynamicTable, sizeOf } from "./dynamic-table.ts";
import { decodeHuffman } from "./huffman.ts";
import { IntegerReader } from "./prefix-integer.ts";
import { staticCount, staticNames, staticValues } from "./static-table.ts";

type Field = readonly [name: string, value: string];

/** Fields of a decoded block. */
export interface DecodedBlock {
  readonly fields: readonly Field[];
  /** True if the list is larger than allowed. `fields` is then incomplete, but the dynamic table is up to date. */
  readonly isTooLarge: boolean;
}

/**
 * A decoder with a dynamic table, for blocks that arrive before the peer has applied our SETTINGS_HEADER_TABLE_SIZE of 0. Later blocks need no table:
 * see `FieldTable`.
 */
export class HpackDecoder {
  readonly #table: DynamicTable;
  readonly #integers = new IntegerReader();
  /** Largest table size that the peer may choose: our setting, once it is acknowledged. */
  #sizeLimit: number;

  constructor(sizeLimit = 4096) {
    this.#table = new DynamicTable(sizeLimit);
    this.#sizeLimit = sizeLimit;
  }

  /** True if the peer has set the size of its table to 0: its blocks need no table as long as it may not set another. */
  get isTableEmpty(): boolean {
    return this.#table.bytesMax === 0;
  }

  /**
   * Sets the limit that the peer has acknowledged. The table stays as it is until the peer sends an update of its size, as RFC 7541, 4.2 requires of
   * it: some encoders acknowledge the setting, but go on using their table.
   */
  limitTable(bytes: number): void {
    this.#sizeLimit = bytes;
  }

  /** Decodes a block. Every field is processed, also after the list has become too large, because later blocks depend on the table. */
  decode(bytes: Buffer, start: number, end: number, listBytesMax: number): DecodedBlock {
    const fields: Field[] = [];
    let listBytes = 0;
    let at = start;
    while (at < end) {
      const byte = bytes[at] ?? 0;
      if ((byte & 0xe0) === 0x20) {
        at = this.#resize(bytes, at, end, listBytes > 0);
        continue;
      }
      const field = (byte & 0x80) !== 0 ? this.#indexed(bytes, at, end) : this.#literal(bytes, at, end, byte);
      at = this.#integers.at;
      listBytes += sizeOf(field[0], field[1]);
      if (listBytes <= listBytesMax) fields.push(field);
    }
    return { fields, isTooLarge: listBytes > listBytesMax };
  }

  #indexed(bytes: Buffer, at: number, end: number): Field {
    return this.#entry(this.#integers.readBits(bytes, at, end, 0x7f));
  }

  #literal(bytes: Buffer, at: number, end: number, byte: number): Field {
    const isAdded = (byte & 0x40) !== 0;
    const index = this.#integers.readBits(bytes, at, end, isAdded ? 0x3f : 0x0f);
    const name = index === 0 ? this.#text(bytes, this.#integers.at, end) : this.#entry(index)[0];
    const value = this.#text(bytes, this.#integers.at, end);
    if (isAdded) this.#table.add(name, value);
    return [name, value];
  }

  #resize(bytes: Buffer, at: number, end: number, isLate: boolean): number {
    if (isLate) throw new CompressionFault("a table size update follows a field");
    const size = this.#integers.readBits(bytes, at, end, 0x1f);
    if (size > this.#sizeLimit) throw new CompressionFault("a table size update exceeds the limit");
    this.#table.resize(size);
    return this.#integers.at;
  }

  #entry(index: number): Field {
    if (index === 0) throw new CompressionFault("index 0 is used");
    if (index <= staticCount) return [staticNames[index] ?? "", staticValues[index] ?? ""];
    const field = this.#table.get(index - staticCount);
    if (field === undefined) throw new CompressionFault("an index is beyond the dynamic table");
    return field;
  }

  #text(bytes: Buffer, at: number, end: number): string {
    const length = this.#integers.readBits(bytes, at, end, 0x7f);
    const start = this.#integers.at;
    if (start + length > end) throw new CompressionFault("a text ends after its header block");
    this.#integers.at = start + length;
    if (((bytes[at] ?? 0) & 0x80) === 0) return bytes.toString("latin1", start, start + length);
    const text = decodeHuffman(bytes, start, start + length);
    if (text === undefined) throw new CompressionFault("a text has an invalid Huffman code");
    return text;
  }
}
