// Converts an object to a Go type after a strategic merge patch. The real server does this from a map, without JSON, so
// the errors differ from those for a request body.

import { isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import { DecodeError } from "./decode-error.ts";
import { decodeSpecialValue } from "./decode-typed.ts";
import { encodeJson } from "./encode-json.ts";
import { compareBytes } from "./go-text.ts";
import type { GoType, PlainType, StructType } from "./type-table.ts";
import { objectOf, type Slots, zeroOf } from "./zero.ts";

/** A converted object. */
export interface ConvertedObject {
  readonly object: JsonRecord;
  /** Strict decoding errors such as `unknown field "spec.foo"`, sorted. */
  readonly strictErrors: readonly string[];
  /** Paths at which the input had an empty map or list, which the object omits. */
  readonly emptyPaths: readonly string[];
}

/** Results of a conversion besides the object. */
interface ConversionNotes {
  readonly strictErrors: string[];
  readonly emptyPaths: string[];
}

/**
 * Converts an object to the form that Go would serialize for its type.
 *
 * @throws DecodeError if a value does not match its type.
 */
export function convertTyped(type: StructType, value: Readonly<JsonRecord>): ConvertedObject {
  const notes: ConversionNotes = { strictErrors: [], emptyPaths: [] };
  const object = convertStruct(type, value, "", notes);
  return { object, strictErrors: notes.strictErrors.sort(compareBytes), emptyPaths: notes.emptyPaths };
}

function convertStruct(
  type: StructType,
  value: Readonly<JsonRecord>,
  path: string,
  notes: ConversionNotes,
): JsonRecord {
  const slots: Slots = [];
  for (const member of type.members) {
    const found = ownValue(value, member.name);
    if (found === undefined || found === null) continue;
    slots[member.index] = convert(member.type, found, join(path, member.name), notes);
  }
  for (const key of Object.keys(value)) {
    if (!type.byName.has(key)) notes.strictErrors.push(`unknown field "${join(path, key)}"`);
  }
  return objectOf(type, slots);
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

/** Converts a value that is not `null`; undefined means Go's zero value. */
function convert(type: GoType, value: unknown, path: string, notes: ConversionNotes): unknown {
  switch (type.sort) {
    case "pointer":
      return convert(type.element, value, path, notes);
    case "special":
      return decodeSpecialValue(type.name, encodeJson(value));
    case "any":
      return value;
    case "struct":
      if (!isRecord(value)) throw new DecodeError(`cannot restore struct from: ${kindOf(value)}`);
      return convertStruct(type, value, path, notes);
    case "map": {
      if (!isRecord(value)) throw new DecodeError(`cannot restore map from ${kindOf(value)}`);
      const record: JsonRecord = {};
      const keys = Object.keys(value).sort(compareBytes);
      if (keys.length === 0) notes.emptyPaths.push(path);
      for (const key of keys) {
        // Map keys do not appear in the paths of errors.
        const converted = value[key] === null ? undefined : convert(type.element, value[key], path, notes);
        safeSet(record, key, converted === undefined ? zeroOf(type.element) : converted);
      }
      return record;
    }
    case "list":
    case "wrapped":
      if (!isList(value)) throw new DecodeError(`cannot restore slice from ${kindOf(value)}`);
      if (value.length === 0) notes.emptyPaths.push(path);
      return value.map((each, index) => {
        const converted = each === null ? undefined : convert(type.element, each, `${path}[${index}]`, notes);
        return converted === undefined ? zeroOf(type.element) : converted;
      });
    case "bytes":
      return convertBytes(value);
    default:
      return convertPlain(type, value);
  }
}

function convertBytes(value: unknown): unknown {
  if (typeof value !== "string") throw new DecodeError(`cannot restore slice from ${kindOf(value)}`);
  const bytes = Buffer.from(value, "base64");
  if (bytes.toString("base64").replaceAll("=", "") !== value.replace(/[\r\n=]/g, "")) {
    throw new DecodeError("error decoding from json: illegal base64 data at input byte 0");
  }
  return bytes.toString("base64");
}

function convertPlain(type: PlainType, value: unknown): unknown {
  const kind = kindOf(value);
  if (kind === "string" && type.sort === "string") return value;
  if (kind === "bool" && type.sort === "bool") return value;
  const isNumber = kind === "int64" || kind === "float64";
  if (isNumber && type.sort === "float64") return Number(value);
  if (isNumber && (type.sort === "int32" || type.sort === "int64")) {
    if (kind === "float64") throw new DecodeError(`cannot convert ${kind} to ${type.name}`);
    const whole = BigInt.asIntN(
      type.sort === "int32" ? 32 : 64,
      BigInt(typeof value === "bigint" ? value : Number(value)),
    );
    return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
  }
  // Go could convert an integer to a string, a single character, and refuses that with its own message.
  if (kind === "int64" && type.sort === "string") throw new DecodeError(`cannot convert ${kind} to ${type.name}`);
  throw new DecodeError(`unrecognized type: ${type.sort}`);
}

/** Returns the kind of a JSON value as Go's reflection names it. */
function kindOf(value: unknown): string {
  if (isList(value)) return "slice";
  if (isRecord(value)) return "map";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "bigint" ? "int64" : typeof value === "boolean" ? "bool" : "string";
}
