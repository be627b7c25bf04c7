/**
 * Writes protobuf from its end to its beginning, as Go's generated code does: the length of a message is known by the
 * time its prefix is written, so nothing is measured twice or copied.
 *
 * Fields must be written in reverse order.
 */
export class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(1024);
  #at = 1024;

  /** Returns the encoded bytes. */
  finish(): Buffer {
    return this.#bytes.subarray(this.#at);
  }

  message(field: number, write: () => void): void {
    const end = this.#bytes.length - this.#at;
    write();
    this.#varint(this.#bytes.length - this.#at - end);
    this.#tag(field, 2);
  }

  bytes(field: number, value: Uint8Array): void {
    this.#reserve(value.length);
    this.#at -= value.length;
    this.#bytes.set(value, this.#at);
    this.#varint(value.length);
    this.#tag(field, 2);
  }

  string(field: number, value: string): void {
    const length = Buffer.byteLength(value);
    this.#reserve(length);
    this.#at -= length;
    this.#bytes.write(value, this.#at);
    this.#varint(length);
    this.#tag(field, 2);
  }

  /** Writes an integer or boolean; negative numbers take ten bytes. */
  int(field: number, value: number | bigint): void {
    if (typeof value === "bigint" || value < 0 || value > 0x7fff_ffff)
      this.#bigVarint(BigInt.asUintN(64, BigInt(value)));
    else this.#varint(value);
    this.#tag(field, 0);
  }

  double(field: number, value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    this.#bytes.writeDoubleLE(value, this.#at);
    this.#tag(field, 1);
  }

  /** Writes bytes without a tag, such as a prefix. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#at -= value.length;
    this.#bytes.set(value, this.#at);
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType);
  }

  #varint(value: number): void {
    this.#reserve(5);
    let length = 1;
    for (let rest = value; rest > 0x7f; rest >>>= 7) length += 1;
    this.#at -= length;
    let at = this.#at;
    for (let rest = value; ; rest >>>= 7) {
      this.#bytes[at] = rest > 0x7f ? (rest & 0x7f) | 0x80 : rest;
      at += 1;
      if (rest <= 0x7f) return;
    }
  }

  #bigVarint(value: bigint): void {
    const digits: number[] = [];
    for (let rest = value; ; rest >>= 7n) {
      const isLast = rest <= 0x7fn;
      digits.push(Number(rest & 0x7fn) | (isLast ? 0 : 0x80));
      if (isLast) break;
    }
    this.raw(Uint8Array.from(digits));
  }

  #reserve(count: number): void {
    if (this.#at >= count) return;
    const used = this.#bytes.length - this.#at;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, used + count + 64));
    this.#bytes.copy(larger, larger.length - used, this.#at);
    this.#at = larger.length - used;
    this.#bytes = larger;
  }
}
