import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/fuzz";
import { HpackDecoder } from "./hpack-decoder.ts";
import { huffmanCodes } from "./huffman-codes.ts";
import { staticCount, staticNames, staticValues } from "./static-table.ts";

type Field = readonly [name: string, value: string];

const tableBytesMax = 4096;
const names = ["x-a", "x-routing-key", "cookie", "baggage", "content-type", "te"];

/** An encoder that chooses among all forms of RFC 7541, section 6, and keeps the dynamic table as a plain list. */
class RandomEncoder {
  readonly #random: SeededRandom;
  #table: Field[] = [];
  #limit = tableBytesMax;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Returns a block, and the fields in it. */
  block(): { readonly bytes: Buffer; readonly fields: readonly Field[] } {
    const parts: number[] = [];
    const fields: Field[] = [];
    if (this.#random.int(8) === 0) {
      this.#limit = this.#random.int(tableBytesMax + 1);
      this.#evict();
      parts.push(...integer(0x20, 5, this.#limit));
    }
    for (let count = this.#random.int(12); count > 0; count -= 1) fields.push(this.#field(parts));
    return { bytes: Buffer.from(parts), fields };
  }

  #field(parts: number[]): Field {
    const random = this.#random;
    const known = staticCount + this.#table.length;
    if (random.int(3) === 0) {
      const index = 1 + random.int(known);
      parts.push(...integer(0x80, 7, index));
      return this.#at(index);
    }
    const index = random.int(2) === 0 ? 1 + random.int(known) : 0;
    const name = index === 0 ? random.pick(names) : this.#at(index)[0];
    const value = this.#text();
    const isIndexed = random.int(2) === 0;
    parts.push(...(isIndexed ? integer(0x40, 6, index) : integer(random.pick([0, 0x10]), 4, index)));
    if (index === 0) parts.push(...this.#string(name));
    parts.push(...this.#string(value));
    if (isIndexed) {
      this.#table.unshift([name, value]);
      this.#evict();
    }
    return [name, value];
  }

  #at(index: number): Field {
    if (index <= staticCount) return [staticNames[index] ?? "", staticValues[index] ?? ""];
    return this.#table[index - staticCount - 1] ?? ["", ""];
  }

  /** A field that is larger than the table empties it (RFC 7541, 4.4). */
  #evict(): void {
    let size = 0;
    this.#table = this.#table.filter(([name, value]) => (size += name.length + value.length + 32) <= this.#limit);
  }

  #text(): string {
    const length = this.#random.int(this.#random.int(20) === 0 ? 3_000 : 40);
    return Array.from({ length }, () => String.fromCharCode(0x20 + this.#random.int(0x5f))).join("");
  }

  #string(text: string): number[] {
    if (this.#random.int(2) === 0) return [...integer(0, 7, text.length), ...Buffer.from(text, "latin1")];
    const bytes = huffman(text);
    return [...integer(0x80, 7, bytes.length), ...bytes];
  }
}

function integer(first: number, bits: number, value: number): number[] {
  const max = 2 ** bits - 1;
  if (value < max) return [first | value];
  const bytes = [first | max];
  let rest = value - max;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}

function huffman(text: string): number[] {
  let bits = "";
  for (const byte of Buffer.from(text, "latin1"))
    bits += (huffmanCodes[byte * 2] ?? 0).toString(2).padStart(huffmanCodes[byte * 2 + 1] ?? 0, "0");
  bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, "1");
  return (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
}

describe("HpackDecoder", () => {
  it("decodes blocks of an encoder that uses every form, with a table that lives as long as the connection", () => {
    const random = new SeededRandom(7541);

    for (let connection = 0; connection < 20; connection += 1) {
      const encoder = new RandomEncoder(random);
      const decoder = new HpackDecoder(tableBytesMax);
      for (let count = 0; count < 50; count += 1) {
        const { bytes, fields } = encoder.block();

        assert.deepEqual(decoder.decode(bytes, 0, bytes.length, 1_000_000).fields, fields);
      }
    }
  });
});
