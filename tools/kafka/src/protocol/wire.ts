// The binary types of the Kafka protocol (https://kafka.apache.org/protocol): big-endian integers, and the compact forms of flexible
// message versions, in which a length is an unsigned varint of the length plus one, and zero means null.

/** Writes the fields of a request. */
export class WireWriter {
  readonly #parts: Buffer[] = [];

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  boolean(value: boolean): this {
    return this.int8(value ? 1 : 0);
  }

  int8(value: number): this {
    const part = Buffer.alloc(1);
    part.writeInt8(value);
    return this.#push(part);
  }

  int16(value: number): this {
    const part = Buffer.alloc(2);
    part.writeInt16BE(value);
    return this.#push(part);
  }

  uint16(value: number): this {
    const part = Buffer.alloc(2);
    part.writeUInt16BE(value);
    return this.#push(part);
  }

  int32(value: number): this {
    const part = Buffer.alloc(4);
    part.writeInt32BE(value);
    return this.#push(part);
  }

  /** Writes a string with a length of two bytes, as headers contain it. */
  shortString(value: string): this {
    const text = Buffer.from(value);
    return this.int16(text.length).#push(text);
  }

  string(value: string | null): this {
    if (value === null) return this.#varint(0);
    const text = Buffer.from(value);
    return this.#varint(text.length + 1).#push(text);
  }

  /** Writes an identifier of 16 bytes, given in the form that Kafka prints: base64 without padding. */
  uuid(value: string): this {
    const part = Buffer.from(value, "base64url");
    if (part.length !== 16) throw new RangeError(`${JSON.stringify(value)} is not an identifier of 16 bytes`);
    return this.#push(part);
  }

  list<Item>(items: readonly Item[] | null, write: (writer: this, item: Item) => void): this {
    this.#varint(items === null ? 0 : items.length + 1);
    for (const item of items ?? []) write(this, item);
    return this;
  }

  /** Ends a structure: there are no tagged fields. */
  end(): this {
    return this.#varint(0);
  }

  #varint(value: number): this {
    const bytes: number[] = [];
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
    return this.#push(Buffer.from([...bytes, rest]));
  }

  #push(part: Buffer): this {
    this.#parts.push(part);
    return this;
  }
}

/** Reads the fields of a response. Throws a RangeError if the response is too short or a length is impossible. */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  boolean(): boolean {
    return this.int8() !== 0;
  }

  int8(): number {
    return this.#bytes.readInt8(this.#advance(1));
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#advance(2));
  }

  uint16(): number {
    return this.#bytes.readUInt16BE(this.#advance(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#advance(4));
  }

  int64(): number {
    return Number(this.#bytes.readBigInt64BE(this.#advance(8)));
  }

  string(): string | null {
    const length = this.#varint() - 1;
    if (length < 0) return null;
    const start = this.#advance(length);
    return this.#bytes.toString("utf8", start, start + length);
  }

  uuid(): string {
    const start = this.#advance(16);
    return this.#bytes.toString("base64url", start, start + 16);
  }

  list<Item>(read: (reader: this) => Item): Item[] {
    const length = this.#varint() - 1;
    // Every item has at least one byte.
    if (length > this.#bytes.length - this.#at)
      throw new RangeError(`a list of ${length} items is longer than the rest`);
    return Array.from({ length: Math.max(0, length) }, () => read(this));
  }

  /** Ends a structure and skips its tagged fields. */
  end(): void {
    const count = this.#varint();
    for (let index = 0; index < count; index += 1) {
      this.#varint();
      this.#advance(this.#varint());
    }
  }

  #varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes.readUInt8(this.#advance(1));
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError("a varint is longer than five bytes");
  }

  #advance(count: number): number {
    const start = this.#at;
    if (start + count > this.#bytes.length) throw new RangeError("the response ends too early");
    this.#at += count;
    return start;
  }
}
