// The `test` operation of the Go library compares text, not values: 1.0 is not 1, and a character is not its escape.
// Values of a patch therefore keep their source text where it differs from what the server would print.

import { isList, isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { encodeJson } from "../codec/encode-json.ts";
import { JsonReader } from "../codec/json-reader.ts";
import { readNumber } from "../codec/read-value.ts";

/** A string or number whose source text differs from the printed form. */
class RawScalar {
  readonly value: unknown;
  readonly text: string;

  constructor(value: unknown, text: string) {
    this.value = value;
    this.text = text;
  }
}

/** Parses JSON and keeps the source text of strings and numbers in an unusual form. Throws a `DecodeError`. */
export function readRawJson(text: string): unknown {
  const reader = new JsonReader(text);
  const value = read(reader);
  reader.end();
  return value;
}

function read(reader: JsonReader): unknown {
  switch (reader.start()) {
    case "object": {
      const record: JsonRecord = {};
      reader.enter();
      for (let isFirst = true; ; isFirst = false) {
        const key = reader.nextKey(isFirst);
        if (key === undefined) return record;
        safeSet(record, key, read(reader));
      }
    }
    case "array": {
      const list: unknown[] = [];
      reader.enter();
      for (let isFirst = true; reader.nextElement(isFirst); isFirst = false) list.push(read(reader));
      return list;
    }
    case "string": {
      const from = reader.at;
      return scalar(reader.string(), reader.text.slice(from, reader.at));
    }
    case "number": {
      const text = reader.number();
      // A number that is out of range keeps its text. The error is reported when the patched object is decoded.
      return scalar(
        readNumber(text, () => {}),
        text,
      );
    }
    default:
      return reader.literal();
  }
}

function scalar(value: unknown, text: string): unknown {
  return encodeJson(value) === text ? value : new RawScalar(value, text);
}

/** Reports whether a value contains a {@link RawScalar}. */
export function hasRawScalars(value: unknown): boolean {
  if (value instanceof RawScalar) return true;
  if (isList(value)) return value.some(hasRawScalars);
  return isRecord(value) && Object.values(value).some(hasRawScalars);
}

/** Returns the value with plain strings and numbers. */
export function withoutRawScalars(value: unknown): unknown {
  if (value instanceof RawScalar) return value.value;
  if (isList(value)) return value.map(withoutRawScalars);
  if (!isRecord(value)) return value;
  const record: JsonRecord = {};
  for (const key of Object.keys(value)) safeSet(record, key, withoutRawScalars(value[key]));
  return record;
}

/** Reports whether two values have the same structure and the same text. */
export function isSameText(a: unknown, b: unknown): boolean {
  if (isList(a)) return isList(b) && a.length === b.length && a.every((each, index) => isSameText(each, b[index]));
  if (isRecord(a) && !(a instanceof RawScalar)) {
    if (!isRecord(b) || b instanceof RawScalar || isList(b)) return false;
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSameText(a[key], b[key]))
    );
  }
  if (isList(b) || (isRecord(b) && !(b instanceof RawScalar))) return false;
  if (a === b) return true;
  // Avoid encoding a long string again for every short one it is compared with.
  if (typeof a === "string" && typeof b === "string") return false;
  const longest = b instanceof RawScalar ? b.text.length : 0;
  if (typeof a === "string" && longest < a.length + 2) return false;
  return textOf(a) === textOf(b);
}

function textOf(value: unknown): string {
  return value instanceof RawScalar ? value.text : encodeJson(value);
}
