// Decodes JSON to a Kubernetes API type the way Go does: driven by the type table, in one pass, reporting the first
// error. One long class, because it is a state machine.

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

/** A decoded object. */
export interface DecodedObject {
  /** The form that Go would serialize: only known keys, in Go's order. */
  readonly object: JsonRecord;
  /** Strict decoding errors: `unknown field "spec.foo"`, `duplicate field "spec.bar"`. */
  readonly strictErrors: readonly string[];
  /** Paths at which the input had an empty map or list, which the object omits: `spec.template.metadata.labels`. */
  readonly emptyPaths: readonly string[];
}

/**
 * Decodes JSON text as an object of a Kubernetes API type.
 *
 * Unknown keys are dropped, keys are case-sensitive, `null` means absent, and integers are exact.
 *
 * @throws DecodeError in the words of the API server. Syntax errors take precedence over all others.
 */
export function decodeTyped(type: StructType, text: string): DecodedObject {
  const decoder = new Decoder(text, new StrictLog());
  const object = decoder.run(type);
  const { strictErrors, emptyPaths } = decoder;
  return { object: isRecord(object) ? object : objectOf(type, []), strictErrors, emptyPaths };
}

/**
 * Decodes JSON text as any type, with its strict decoding errors.
 *
 * @throws DecodeError
 */
export function decodeAs(
  type: GoType,
  text: string,
): { readonly value: unknown; readonly strictErrors: readonly string[] } {
  const decoder = new Decoder(text, new StrictLog());
  const value = decoder.run(type);
  return { value, strictErrors: decoder.strictErrors };
}

/** Stops decoding immediately, because the custom decoder of a type refused its text. */
class DecodeStopped extends Error {
  readonly reason: DecodeError;

  constructor(reason: DecodeError) {
    super(reason.message);
    this.reason = reason;
  }
}

class Decoder {
  readonly #reader: JsonReader;
  readonly #log: StrictLog | undefined;
  /** The first value of a wrong type. Decoding continues, since a later syntax error takes precedence. */
  #failure: DecodeError | undefined;
  #struct = "";
  readonly #fields: string[] = [];
  readonly emptyPaths: string[] = [];

  constructor(text: string, log: StrictLog | undefined) {
    this.#reader = new JsonReader(text);
    this.#log = log;
  }

  get strictErrors(): readonly string[] {
    return this.#log?.errors ?? [];
  }

  run(type: GoType): unknown {
    try {
      const value = this.#value(type, undefined);
      this.#reader.end();
      if (this.#failure !== undefined) throw this.#failure;
      return value;
    } catch (error) {
      if (!(error instanceof DecodeStopped)) throw error;
      // The rest of the text was not read yet, and a syntax error in it takes precedence.
      const syntaxCheck = new JsonReader(this.#reader.text);
      syntaxCheck.skip();
      syntaxCheck.end();
      throw error.reason;
    }
  }

  /**
   * Decodes the next value; undefined means Go's zero value. `previous` is the value of an earlier duplicate key: as in
   * Go, a later object is merged into it.
   */
  #value(type: GoType, previous: unknown): unknown {
    const start = this.#reader.start();
    switch (type.sort) {
      case "pointer":
        if (start !== "null") return this.#value(type.element, previous);
        this.#reader.literal();
        return undefined;
      case "special":
        return this.#special(type.name);
      case "any":
        return readValue(this.#reader, this.#log, (error) => this.#fail(error));
      case "struct":
        if (start === "object") return this.#object(type, previous);
        break;
      case "map":
        if (start === "object") return this.#map(type, previous);
        break;
      case "list":
      case "wrapped":
        if (start === "array") return this.#list(type, previous);
        break;
      default:
        return this.#plain(type, start, previous);
    }
    if (start !== "null") return this.#mismatch(start, type, previous);
    this.#reader.literal();
    return type.sort === "struct" ? previous : undefined;
  }

  #object(type: StructType, previous: unknown): JsonRecord {
    const slots: Slots = isRecord(previous) ? type.members.map((member) => ownValue(previous, member.name)) : [];
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

  #map(type: ContainerType, previous: unknown): JsonRecord {
    const record: JsonRecord = isRecord(previous) ? previous : {};
    const seen = new Set<string>();
    const depth = this.#log?.depth ?? 0;
    this.#reader.enter();
    for (let isFirst = true; ; isFirst = false) {
      const key = this.#reader.nextKey(isFirst);
      if (key === undefined) {
        if (isFirst) this.#recordEmpty();
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

  #list(type: ContainerType, previous: unknown): unknown[] {
    const list: unknown[] = [];
    const depth = this.#log?.depth ?? 0;
    this.#reader.enter();
    for (let isFirst = true; this.#reader.nextElement(isFirst); isFirst = false) {
      this.#log?.enterIndex(list.length);
      const value = this.#value(type.element, isList(previous) ? previous[list.length] : undefined);
      list.push(value === undefined ? zeroOf(type.element) : value);
      this.#log?.leaveTo(depth);
    }
    if (list.length === 0) this.#recordEmpty();
    return list;
  }

  #recordEmpty(): void {
    if (this.#log !== undefined) this.emptyPaths.push(this.#log.path);
  }

  #plain(type: PlainType, start: JsonStart, previous: unknown): unknown {
    switch (start) {
      case "null":
        this.#reader.literal();
        return type.sort === "bytes" ? undefined : previous;
      case "string":
        if (type.sort === "string") return this.#reader.string();
        if (type.sort === "bytes") return this.#base64(this.#reader.string(), previous);
        break;
      case "bool":
        if (type.sort === "bool") return this.#reader.literal();
        break;
      case "number":
        return this.#number(type, previous);
      case "array":
        if (type.sort === "bytes") return this.#byteList();
        break;
      case "object":
        break;
    }
    return this.#mismatch(start, type, previous);
  }

  #number(type: PlainType, previous: unknown): unknown {
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
        this.#fail(new TypeMismatch("number", type.name, this.#location()));
        return previous;
    }
    this.#fail(new TypeMismatch(`number ${text}`, type.name, this.#location()));
    return previous;
  }

  #base64(text: string, previous: unknown): unknown {
    const wrong = base64ErrorOffset(text);
    if (wrong === undefined) return Buffer.from(text, "base64").toString("base64");
    this.#fail(new DecodeError(`illegal base64 data at input byte ${wrong}`));
    return previous;
  }

  /** Go also accepts a list of numbers as bytes. */
  #byteList(): string {
    const bytes: number[] = [];
    this.#reader.enter();
    for (let isFirst = true; this.#reader.nextElement(isFirst); isFirst = false) {
      const start = this.#reader.start();
      if (start === "number") {
        const text = this.#reader.number();
        const value = /^[0-9]+$/.test(text) ? Number(text) : -1;
        if (value >= 0 && value < 256) bytes.push(value);
        else this.#fail(new TypeMismatch(`number ${text}`, "uint8", this.#location()));
      } else {
        if (start !== "null") this.#fail(new TypeMismatch(start, "uint8", this.#location()));
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
      throw new DecodeStopped(error instanceof TypeMismatch ? error.within(this.#location()) : error);
    }
  }

  #mismatch(start: JsonStart, type: GoType, previous: unknown): unknown {
    this.#fail(new TypeMismatch(start, type.name, this.#location()));
    this.#reader.skip();
    return previous;
  }

  #fail(error: DecodeError): void {
    if (this.#failure !== undefined) return;
    this.#failure = error instanceof TypeMismatch ? error : this.#withLocation(error);
  }

  /** Adds the field to the error for a number that is too large. */
  #withLocation(error: DecodeError): DecodeError {
    const number = /^json: cannot unmarshal (number \S+) into Go value of type float64$/.exec(error.message)?.[1];
    return number === undefined ? error : new TypeMismatch(number, "float64", this.#location());
  }

  #location(): { struct: string; fields: string[] } {
    return { struct: this.#struct, fields: [...this.#fields] };
  }
}

const schemaReaders: SchemaReaders = {
  schema: (text) => new Decoder(text, undefined).run(typeTable().schemaProps),
  schemas: (text) => new Decoder(text, undefined).run(listOf("[]v1.JSONSchemaProps", typeTable().schemaProps)),
  texts: (text) => new Decoder(text, undefined).run(listOf("[]string", { sort: "string", name: "string" })),
};

/**
 * Decodes the JSON text of a special type; undefined means Go's zero value.
 *
 * @throws DecodeError
 */
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

/** Returns the offset at which Go's decoder would find invalid base64, or undefined. Newlines are ignored. */
function base64ErrorOffset(text: string): number | undefined {
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
  return paddingErrorOffset(bytes, at, letters % 4);
}

function paddingErrorOffset(bytes: Buffer, from: number, letters: number): number | undefined {
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
