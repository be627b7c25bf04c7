import { DecodeError } from "./decode-error.ts";

/** Maximum nesting of messages. */
const depthMax = 1000;

/** A cursor over the fields of a protobuf message. Each method consumes one value or throws a {@link DecodeError}. */
export class ProtobufReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  readonly #depth: number;
  #at: number;
  /** Number of the field found by {@link next}. */
  field = 0;
  #wireType = 0;
  /** Upper 32 bits of the last varint; `#varint` returns the lower ones. */
  #high = 0;

  constructor(bytes: Buffer, start: number = 0, end: number = bytes.length, depth: number = 0) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#depth = depth;
    if (depth > depthMax) throw new DecodeError("exceeded max depth");
  }

  /** Moves to the next field; false at the end of the message. `message` is its name for errors. */
  next(message: string): boolean {
    if (this.#at >= this.#end) return false;
    const low = this.#varint();
    const wireType = low & 7;
    const field = (low >>> 3) | (this.#high << 29);
    if (wireType === 4) throw new DecodeError(`proto: ${message}: wiretype end group for non-group`);
    if (field <= 0) throw new DecodeError(`proto: ${message}: illegal tag ${field} (wire type ${low})`);
    this.field = field;
    this.#wireType = wireType;
    return true;
  }

  /** Returns a reader for an embedded message. */
  message(name: string): ProtobufReader {
    const [start, end] = this.#span(name);
    return new ProtobufReader(this.#bytes, start, end, this.#depth + 1);
  }

  bytes(name: string): Buffer {
    const [start, end] = this.#span(name);
    return this.#bytes.subarray(start, end);
  }

  /** Reads a string; invalid UTF-8 becomes U+FFFD, as when Go serializes it to JSON. */
  string(name: string): string {
    const [start, end] = this.#span(name);
    return this.#bytes.toString("utf8", start, end);
  }

  bool(name: string): boolean {
    this.#expect(0, name);
    return this.#varint() !== 0 || this.#high !== 0;
  }

  int32(name: string): number {
    this.#expect(0, name);
    return this.#varint() | 0;
  }

  /** Reads a 64-bit integer, as `bigint` if a `number` cannot represent it. */
  int64(name: string): number | bigint {
    this.#expect(0, name);
    const low = this.#varint();
    const value = (this.#high | 0) * 0x1_0000_0000 + low;
    return Number.isSafeInteger(value) ? value : BigInt.asIntN(64, (BigInt(this.#high) << 32n) | BigInt(low));
  }

  double(name: string): number {
    this.#expect(1, name);
    if (this.#at + 8 > this.#end) throw tooShort();
    const value = this.#bytes.readDoubleLE(this.#at);
    this.#at += 8;
    return value;
  }

  /** Skips an unknown field. */
  skip(): void {
    switch (this.#wireType) {
      case 0:
        this.#varint();
        break;
      case 1:
        this.#forward(8);
        break;
      case 2:
        this.#forward(this.#length());
        break;
      case 3:
        this.#skipGroup();
        break;
      case 5:
        this.#forward(4);
        break;
      default:
        throw new DecodeError(`proto: illegal wireType ${this.#wireType}`);
    }
  }

  #skipGroup(): void {
    for (let open = 1; open > 0;) {
      if (this.#at >= this.#end) throw tooShort();
      this.#wireType = this.#varint() & 7;
      if (this.#wireType === 3) open += 1;
      else if (this.#wireType === 4) open -= 1;
      else this.skip();
    }
  }

  #span(name: string): [number, number] {
    this.#expect(2, name);
    const length = this.#length();
    const start = this.#at;
    this.#forward(length);
    return [start, this.#at];
  }

  #expect(wireType: number, name: string): void {
    if (this.#wireType !== wireType) {
      throw new DecodeError(`proto: wrong wireType = ${this.#wireType} for field ${name}`);
    }
  }

  #length(): number {
    const low = this.#varint();
    if (this.#high !== 0 || low > 0x7fff_ffff) {
      if (this.#high >= 0x8000_0000) throw new DecodeError("proto: negative length found during unmarshaling");
      throw tooShort();
    }
    return low;
  }

  #forward(count: number): void {
    if (this.#at + count > this.#end) throw tooShort();
    this.#at += count;
  }

  /** Reads a varint and returns its lower 32 bits, unsigned; the upper ones are in `#high`. */
  #varint(): number {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.#at >= this.#end) throw tooShort();
      const byte = this.#bytes[this.#at] ?? 0;
      this.#at += 1;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high |= bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.#high = high >>> 0;
        return low >>> 0;
      }
    }
    throw new DecodeError("proto: integer overflow");
  }
}

function tooShort(): DecodeError {
  return new DecodeError("unexpected EOF");
}
