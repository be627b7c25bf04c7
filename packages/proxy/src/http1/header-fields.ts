import type { HeaderSource } from "@homeostat/routing";
import { code, isTokenCode, isValueCode, lowerCode } from "./codes.ts";

/** Numbers that are stored per field: start of the name, its {@link nameKey}, start and end of the value, and whether the field is dropped. */
const stride = 5;
const initialFields = 24;

/** Reason for which header fields are refused. */
export type FieldsProblem = "malformed" | "too-many";

/**
 * The header fields of a message, as offsets into the text of its head. One object serves all messages of a connection, one after
 * the other, and no text is created for a field that is not asked for.
 */
export class HeaderFields implements HeaderSource {
  count = 0;
  #text = "";
  #offsets: Int32Array = new Int32Array(initialFields * stride);
  /** Bits of the names that are present, see {@link nameBit}. Most names that are asked for are absent; this finds out at once. */
  #present = 0;
  #presentToo = 0;

  /**
   * Reads the lines of a text from an offset to its end; each of them ends with CR LF. Whitespace before the colon, folded
   * lines, control characters, and CR or LF on their own make the fields malformed.
   */
  parse(text: string, start: number, fieldsMax: number): FieldsProblem | undefined {
    this.#text = text;
    this.count = 0;
    // Locals, because V8 would read the members again for every character.
    const token = isTokenCode;
    const visible = isValueCode;
    const end = text.length;
    let offsets: Int32Array = this.#offsets;
    let present = 0;
    let presentToo = 0;
    let into = 0;
    let count = 0;
    let at = start;
    while (at < end) {
      const nameStart = at;
      while (token[text.charCodeAt(at)] === 1) at += 1;
      const nameEnd = at;
      if (nameEnd === nameStart || text.charCodeAt(at) !== code.colon) return "malformed";
      at += 1;
      while (isBlank(text.charCodeAt(at))) at += 1;
      const valueStart = at;
      while (visible[text.charCodeAt(at)] === 1) at += 1;
      let valueEnd = at;
      while (valueEnd > valueStart && isBlank(text.charCodeAt(valueEnd - 1))) valueEnd -= 1;
      if (text.charCodeAt(at) !== code.cr || text.charCodeAt(at + 1) !== code.lf) return "malformed";
      at += 2;
      if (count === fieldsMax) return "too-many";
      if (into === offsets.length) offsets = this.#grow();
      const first = lowerCode[text.charCodeAt(nameStart)] ?? 0;
      const key = nameKey(nameEnd - nameStart, first, lowerCode[text.charCodeAt(nameEnd - 1)] ?? 0);
      if ((key & 1) === 0) present |= nameBit(key);
      else presentToo |= nameBit(key);
      offsets[into] = nameStart;
      offsets[into + 1] = key;
      offsets[into + 2] = valueStart;
      offsets[into + 3] = valueEnd;
      offsets[into + 4] = 0;
      into += stride;
      count += 1;
    }
    this.#present = present;
    this.#presentToo = presentToo;
    this.count = count;
    return undefined;
  }

  get(name: string): string | readonly string[] | undefined {
    const first = this.find(name);
    if (first === -1) return undefined;
    let next = this.find(name, first + 1);
    if (next === -1) return this.value(first);
    const values = [this.value(first)];
    for (; next !== -1; next = this.find(name, next + 1)) values.push(this.value(next));
    return values;
  }

  /** Returns the index of the first field with a lower-case name, at `from` or later; -1 if there is none. */
  find(name: string, from = 0): number {
    const { length } = name;
    const key = nameKey(length, name.charCodeAt(0), name.charCodeAt(length - 1));
    const bit = nameBit(key);
    if (((key & 1) === 0 ? this.#present & bit : this.#presentToo & bit) === 0) return -1;
    const offsets = this.#offsets;
    const end = this.count * stride;
    for (let at = from * stride; at < end; at += stride)
      if (offsets[at + 1] === key && isNameAt(this.#text, offsets[at] ?? 0, name)) return at / stride;
    return -1;
  }

  /** Reports whether the value of a field has no other bytes than those with 1 in a table. */
  isMadeOf(index: number, table: Uint8Array): boolean {
    const end = this.#offsets[index * stride + 3] ?? 0;
    for (let at = this.#offsets[index * stride + 2] ?? 0; at < end; at += 1)
      if (table[this.#text.charCodeAt(at)] !== 1) return false;
    return true;
  }

  /** Returns the value of the field with an index, without whitespace at its ends. */
  value(index: number): string {
    const at = index * stride;
    return this.#text.slice(this.#offsets[at + 2], this.#offsets[at + 3]);
  }

  /** Drops all fields with a lower-case name from {@link text}. */
  drop(name: string): void {
    for (let index = this.find(name); index !== -1; index = this.find(name, index + 1))
      this.#offsets[index * stride + 4] = 1;
  }

  /** Returns the lines of the fields that are not dropped, byte for byte. */
  text(): string {
    const offsets = this.#offsets;
    let result = "";
    let kept = this.count === 0 ? this.#text.length : (offsets[0] ?? 0);
    for (let index = 0; index < this.count; index += 1) {
      if (offsets[index * stride + 4] === 0) continue;
      const start = offsets[index * stride] ?? 0;
      if (kept < start) result += this.#text.slice(kept, start);
      kept = index + 1 < this.count ? (offsets[(index + 1) * stride] ?? 0) : this.#text.length;
    }
    return kept < this.#text.length ? result + this.#text.slice(kept) : result;
  }

  #grow(): Int32Array {
    const larger = new Int32Array(this.#offsets.length * 2);
    larger.set(this.#offsets);
    this.#offsets = larger;
    return larger;
  }
}

/** Returns a number for the length, the first and the last character of a name in lower case. Few names have the same one; {@link isNameAt} tells them apart. */
function nameKey(length: number, first: number, last: number): number {
  return (length << 16) | (first << 8) | last;
}

/** Returns one of 32 bits for a key; its lowest bit tells which of two sets has it. */
function nameBit(key: number): number {
  return 1 << (((key >>> 16) * 7 + (key >>> 8) + (key >>> 1)) & 31);
}

function isBlank(byte: number): boolean {
  return byte === code.space || byte === code.tab;
}

/**
 * Reports whether the field at an offset of a text has a lower-case name, in any case. The colon after it is compared as well: names of 65,536 characters
 * and more have the keys of shorter ones.
 */
function isNameAt(text: string, start: number, name: string): boolean {
  if (text.charCodeAt(start + name.length) !== code.colon) return false;
  for (let at = 0; at < name.length; at += 1)
    if (lowerCode[text.charCodeAt(start + at)] !== name.charCodeAt(at)) return false;
  return true;
}
