// Reads JSON into a type of Kubernetes' API as Go does: by the table, in one pass, keeping the first mistake. A state
// machine; hence one long class.

import { isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import { DecodeError } from "./decode-error.ts";
import { decodeSpecial, type SchemaReaders } from "./decode-special.ts";
import { JsonReader, type JsonStart } from "./json-reader.ts";
import { readValue } from "./read-value.ts";
import { StrictLog } from "./strict-log.ts";
import {
  type ContainerType,
  type GoType,
  type Member,
  type PlainType,
  type StructType,
  typeTable,
} from "./type-table.ts";
import { TypeMismatch } from "./type-mismatch.ts";
import { objectOf, type Slots, zeroOf } from "./zero.ts";

/** An object that was read. */
export interface DecodedObject {
  /** In the form that Go prints: known keys only, in Go's order. */
  readonly object: JsonRecord;
  /** What a strict reader complains of: `unknown field "spec.foo"`, `duplicate field "spec.bar"`. */
  readonly complaints: readonly string[];
  /** Where an empty map or list was said, which leaves no trace in the object: `spec.template.metadata.labels`. */
  readonly emptied: readonly string[];
}

/**
 * Reads JSON text as an object of a type of Kubernetes' API.
 *
 * Keys that the type does not have are dropped, keys are matched to the letter, `null` means nothing was said, numbers
 * are exact. Throws a `DecodeError` with the server's own words; a mistake of form comes before any other.
 */
export function decodeTyped(type: StructType, text: string): DecodedObject {
  const decoder = new Decoder(text, new StrictLog());
  const object = decoder.run(type);
  const { complaints, emptied } = decoder;
  return { object: isRecord(object) ? object : objectOf(type, []), complaints, emptied };
}

/** Reads JSON text as any type, with what a strict reader complains of. Throws a `DecodeError`. */
export function decodeAs(
  type: GoType,
  text: string,
): { readonly value: unknown; readonly complaints: readonly string[] } {
  const decoder = new Decoder(text, new StrictLog());
  const value = decoder.run(type);
  return { value, complaints: decoder.complaints };
}

/** Ends the reading at once: a type that reads itself refused its text. */
class Stop extends Error {
  readonly reason: DecodeError;

  constructor(reason: DecodeError) {
    super(reason.message);
    this.reason = reason;
  }
}

class Decoder {
  readonly #reader: JsonReader;
  readonly #log: StrictLog | undefined;
  /** The first value that did not fit; the reading goes on. */
  #failure: DecodeError | undefined;
  #struct = "";
  readonly #fields: string[] = [];
  readonly emptied: string[] = [];

  constructor(text: string, log: StrictLog | undefined) {
    this.#reader = new JsonReader(text);
    this.#log = log;
  }

  get complaints(): readonly string[] {
    return this.#log?.complaints ?? [];
  }

  run(type: GoType): unknown {
    try {
      const value = this.#value(type, undefined);
      this.#reader.end();
      if (this.#failure !== undefined) throw this.#failure;
      return value;
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      // The rest was not looked at yet, and a mistake of form comes first.
      const whole = new JsonReader(this.#reader.text);
      whole.skip();
      whole.end();
      throw error.reason;
    }
  }

  /** The next value as a type wants it; undefined is Go's zero value. `known` is what an earlier equal key left. */
  #value(type: GoType, known: unknown): unknown {
    const start = this.#reader.start();
    switch (type.sort) {
      case "pointer":
        if (start !== "null") return this.#value(type.element, known);
        this.#reader.literal();
        return undefined;
      case "special":
        return this.#special(type.name);
      case "any":
        return readValue(this.#reader, this.#log, (error) => this.#fail(error));
      case "struct":
        if (start === "object") return this.#object(type, known);
        break;
      case "map":
        if (start === "object") return this.#map(type, known);
        break;
      case "list":
      case "wrapped":
        if (start === "array") return this.#list(type, known);
        break;
      default:
        return this.#plain(type, start, known);
    }
    if (start !== "null") return this.#mismatch(start, type, known);
    this.#reader.literal();
    return type.sort === "struct" ? known : undefined;
  }

  #object(type: StructType, known: unknown): JsonRecord {
    const slots: Slots = isRecord(known) ? type.members.map((member) => ownValue(known, member.name)) : [];
    const seen = new Set<Member>();
    const outer = { struct: this.#struct, fields: this.#fields.length, log: this.#log?.depth ?? 0 };
    this.#reader.enter();
    for (let isFirst = true; ; isFirst = false) {
      const key = this.#reader.nextKey(isFirst);
      if (key === undefined) break;
      const member = type.byName.get(key);
      if (member === undefined) {
        this.#log?.unknownField(key);
        this.#reader.skip();
        continue;
      }
      if (seen.has(member)) this.#log?.duplicateField(key);
      seen.add(member);
      this.#struct = shortName(type.name);
      this.#fields.push(...member.embedded, member.name);
      this.#log?.enterKey(key);
      slots[member.index] = this.#value(member.type, slots[member.index]);
      this.#struct = outer.struct;
      this.#fields.length = outer.fields;
      this.#log?.leaveTo(outer.log);
    }
    return objectOf(type, slots);
  }

  #map(type: ContainerType, known: unknown): JsonRecord {
    const record: JsonRecord = isRecord(known) ? known : {};
    const seen = new Set<string>();
    const depth = this.#log?.depth ?? 0;
    this.#reader.enter();
    for (let isFirst = true; ; isFirst = false) {
      const key = this.#reader.nextKey(isFirst);
      if (key === undefined) {
        if (isFirst) this.#noteEmpty();
        return record;
      }
      if (seen.has(key)) this.#log?.duplicateField(key);
      seen.add(key);
      this.#log?.enterKey(key);
      const value = this.#value(type.element, undefined);
      safeSet(record, key, value === undefined ? zeroOf(type.element) : value);
      this.#log?.leaveTo(depth);
    }
  }

  #list(type: ContainerType, known: unknown): unknown[] {
    const list: unknown[] = [];
    const depth = this.#log?.depth ?? 0;
    this.#reader.enter();
    for (let isFirst = true; this.#reader.nextElement(isFirst); isFirst = false) {
      this.#log?.enterIndex(list.length);
      const value = this.#value(type.element, isList(known) ? known[list.length] : undefined);
      list.push(value === undefined ? zeroOf(type.element) : value);
      this.#log?.leaveTo(depth);
    }
    if (list.length === 0) this.#noteEmpty();
    return list;
  }

  #noteEmpty(): void {
    if (this.#log !== undefined) this.emptied.push(this.#log.place);
  }

  #plain(type: PlainType, start: JsonStart, known: unknown): unknown {
    switch (start) {
      case "null":
        this.#reader.literal();
        return type.sort === "bytes" ? undefined : known;
      case "string":
        if (type.sort === "string") return this.#reader.string();
        if (type.sort === "bytes") return this.#base64(this.#reader.string(), known);
        break;
      case "bool":
        if (type.sort === "bool") return this.#reader.literal();
        break;
      case "number":
        return this.#number(type, known);
      case "array":
        if (type.sort === "bytes") return this.#byteList();
        break;
      case "object":
        break;
    }
    return this.#mismatch(start, type, known);
  }

  #number(type: PlainType, known: unknown): unknown {
    const text = this.#reader.number();
    switch (type.sort) {
      case "int32":
      case "int64": {
        const value = wholeNumber(text, type.sort === "int32" ? 32 : 64);
        if (value !== undefined) return value;
        break;
      }
      case "float64":
        if (Number.isFinite(Number(text))) return Number(text);
        break;
      default:
        this.#fail(new TypeMismatch("number", type.name, this.#place()));
        return known;
    }
    this.#fail(new TypeMismatch(`number ${text}`, type.name, this.#place()));
    return known;
  }

  #base64(text: string, known: unknown): unknown {
    const wrong = base64Mistake(text);
    if (wrong === undefined) return Buffer.from(text, "base64").toString("base64");
    this.#fail(new DecodeError(`illegal base64 data at input byte ${wrong}`));
    return known;
  }

  /** Go takes a list of numbers for bytes, too. */
  #byteList(): string {
    const bytes: number[] = [];
    this.#reader.enter();
    for (let isFirst = true; this.#reader.nextElement(isFirst); isFirst = false) {
      const start = this.#reader.start();
      if (start === "number") {
        const text = this.#reader.number();
        const value = /^[0-9]+$/.test(text) ? Number(text) : -1;
        if (value >= 0 && value < 256) bytes.push(value);
        else this.#fail(new TypeMismatch(`number ${text}`, "uint8", this.#place()));
      } else {
        if (start !== "null") this.#fail(new TypeMismatch(start, "uint8", this.#place()));
        this.#reader.skip();
        bytes.push(0);
      }
    }
    return Buffer.from(bytes).toString("base64");
  }

  #special(name: string): unknown {
    const from = this.#reader.at;
    this.#reader.skip();
    const text = this.#reader.text.slice(from, this.#reader.at);
    try {
      return decodeSpecial(name, text, schemaReaders);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw new Stop(error instanceof TypeMismatch ? error.within(this.#place()) : error);
    }
  }

  #mismatch(start: JsonStart, type: GoType, known: unknown): unknown {
    this.#fail(new TypeMismatch(start, type.name, this.#place()));
    this.#reader.skip();
    return known;
  }

  #fail(error: DecodeError): void {
    if (this.#failure !== undefined) return;
    this.#failure = error instanceof TypeMismatch ? error : this.#located(error);
  }

  /** Numbers that are too large for anything say what they are, not where. */
  #located(error: DecodeError): DecodeError {
    const number = /^json: cannot unmarshal (number \S+) into Go value of type float64$/.exec(error.message)?.[1];
    return number === undefined ? error : new TypeMismatch(number, "float64", this.#place());
  }

  #place(): { struct: string; fields: string[] } {
    return { struct: this.#struct, fields: [...this.#fields] };
  }
}

const schemaReaders: SchemaReaders = {
  schema: (text) => new Decoder(text, undefined).run(typeTable().schemaProps),
  schemas: (text) => new Decoder(text, undefined).run(listOf("[]v1.JSONSchemaProps", typeTable().schemaProps)),
  texts: (text) => new Decoder(text, undefined).run(listOf("[]string", { sort: "string", name: "string" })),
};

/** Reads the JSON text of a type that reads itself; undefined stands for Go's zero value. Throws a {@link DecodeError}. */
export function decodeSpecialValue(name: string, text: string): unknown {
  return decodeSpecial(name, text, schemaReaders);
}

function listOf(name: string, element: GoType): ContainerType {
  return { sort: "list", name, element };
}

function wholeNumber(text: string, bits: 32 | 64): number | bigint | undefined {
  if (!/^-?[0-9]+$/.test(text)) return undefined;
  const value = Number(text);
  if (bits === 32) return value === (value | 0) ? value + 0 : undefined;
  if (Number.isSafeInteger(value)) return value + 0;
  if (text.length > 20) return undefined;
  const whole = BigInt(text);
  return whole === BigInt.asIntN(64, whole) ? whole : undefined;
}

/** Where a text stops being base64 as Go reads it, or undefined. Line ends do not count. */
function base64Mistake(text: string): number | undefined {
  const bytes = Buffer.from(text);
  let letters = 0;
  let at = 0;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x0a || byte === 0x0d) continue;
    if (byte === 0x3d) break;
    if (!isBase64(byte)) return at;
    letters += 1;
  }
  if (at === bytes.length) return letters % 4 === 0 ? undefined : at - (letters % 4);
  return paddingMistake(bytes, at, letters % 4);
}

function paddingMistake(bytes: Buffer, from: number, letters: number): number | undefined {
  if (letters < 2) return from;
  let at = from + 1;
  const skipLines = (): void => {
    while (bytes[at] === 0x0a || bytes[at] === 0x0d) at += 1;
  };
  if (letters === 2) {
    skipLines();
    if (at === bytes.length) return at;
    if (bytes[at] !== 0x3d) return at;
    at += 1;
  }
  skipLines();
  return at < bytes.length ? at : undefined;
}

function isBase64(byte: number): boolean {
  return (
    (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2b ||
    byte === 0x2f
  );
}

function shortName(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}
