// JSON decoding of types with a custom `UnmarshalJSON` in Go, each with its own errors.

import { formatMicroTime, formatTime, isQuantity, parseQuantity } from "@homeostat/core";
import { DecodeError } from "./decode-error.ts";
import { readGoTime } from "./go-time.ts";
import { JsonReader } from "./json-reader.ts";
import { readJson } from "./read-value.ts";
import { TypeMismatch } from "./type-mismatch.ts";

/**
 * Decoders for a schema, a list of schemas and a list of strings. Passed in, because they are defined in terms of other
 * types.
 */
export interface SchemaReaders {
  readonly schema: (text: string) => unknown;
  readonly schemas: (text: string) => unknown;
  readonly texts: (text: string) => unknown;
}

const atRoot = { struct: "", fields: [] };

/** Decodes the JSON text of a special type; undefined means Go's zero value. */
export function decodeSpecial(name: string, text: string, readers: SchemaReaders): unknown {
  if (text === "null") return undefined;
  switch (name) {
    case "v1.Time": {
      const { seconds } = readGoTime(readText(text), false);
      return formatTime(seconds * 1000);
    }
    case "v1.MicroTime": {
      const { seconds, nanoseconds } = readGoTime(readText(text), true);
      return formatMicroTime(BigInt(seconds) * 1_000_000n + BigInt(Math.floor(nanoseconds / 1000)));
    }
    case "resource.Quantity":
      return readQuantity(text);
    case "intstr.IntOrString":
      return text.startsWith('"') ? readText(text) : readInt32(text);
    case "v1.JSONSchemaPropsOrBool":
      if (text.startsWith("{")) return readers.schema(text);
      if (text === "true" || text === "false") return text === "true";
      throw new DecodeError("boolean or JSON schema expected");
    case "v1.JSONSchemaPropsOrArray":
      if (text.startsWith("{")) return readers.schema(text);
      return text.startsWith("[") ? emptyAsNull(readers.schemas(text)) : null;
    case "v1.JSONSchemaPropsOrStringArray":
      if (text.startsWith("{")) return readers.schema(text);
      return text.startsWith("[") ? emptyAsNull(readers.texts(text)) : null;
    default:
      return readJson(text).value;
  }
}

/** An empty list is serialized like an absent schema. */
function emptyAsNull(list: unknown): unknown {
  return Array.isArray(list) && list.length === 0 ? null : list;
}

function readText(text: string): string {
  const reader = new JsonReader(text);
  const start = reader.start();
  if (start === "string") return reader.string();
  throw new TypeMismatch(start, "string", atRoot);
}

function readInt32(text: string): number {
  const start = new JsonReader(text).start();
  if (start !== "number") throw new TypeMismatch(start, "int32", atRoot);
  const value = Number(text);
  if (/^-?[0-9]+$/.test(text) && value === (value | 0)) return value + 0;
  throw new TypeMismatch(`number ${text}`, "int32", atRoot);
}

function readQuantity(text: string): string {
  // Only the quotes are removed: Go's parser does not interpret escapes here.
  const inner = text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
  const trimmed = inner.trim();
  if (isQuantity(trimmed)) return parseQuantity(trimmed).toString();
  throw new DecodeError(quantityProblem(trimmed));
}

/** Returns the error for a text that is not a quantity. */
export function quantityProblem(text: string): string {
  const parts = /^[+-]?[0-9]*(?:\.[0-9]*)?/.exec(text);
  const number = parts?.[0] ?? "";
  const suffix = text.slice(number.length);
  if (text === "" || !/^[eEinumkKMGTP]*[-+]?[0-9]*$/.test(suffix)) return formatProblem;
  return "unable to parse quantity's suffix";
}

const formatProblem = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
