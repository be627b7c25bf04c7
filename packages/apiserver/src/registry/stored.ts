// How objects are kept: as JSON, in the version of their kind that is stored, with their own version in it.

import { isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { encodeJson } from "../codec/encode-json.ts";
import { longNumber, readJson } from "../codec/read-value.ts";
import type { NewValue } from "../storage/entry.ts";
import type { FindShared } from "../storage/shared-parts.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Reads a stored object. */
export function decodeStored(bytes: Uint8Array): JsonRecord {
  const text = decoder.decode(bytes);
  const value: unknown = longNumber.test(text) ? readJson(text).value : JSON.parse(text);
  return isRecord(value) ? value : {};
}

const fields = Buffer.from('"fieldsV1":{');

/** Where the first list of owned fields stands in a stored object: other objects of its kind have the same. */
export const findShared: FindShared = (bytes) => {
  const found = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(fields);
  if (found < 0) return undefined;
  const start = found + fields.length - 1;
  const end = endOfObject(bytes, start);
  return end === undefined ? undefined : { start, end };
};

/** The place behind an object of JSON that begins at another. */
function endOfObject(bytes: Uint8Array, start: number): number | undefined {
  let depth = 0;
  let isText = false;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quoteMark) isText = !isText;
    else if (isText && byte === backslash) at += 1;
    else if (!isText && byte === openBrace) depth += 1;
    else if (!isText && byte === closeBrace) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

const quoteMark = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The bytes of an object. */
export function encodeStored(object: JsonRecord): Uint8Array {
  return encoder.encode(encodeJson(object));
}

/** An object that is about to be stored, once its revision is known. Its metadata has a version, whatever it is. */
export function sealed(object: JsonRecord): (revision: number) => NewValue<JsonRecord> {
  return (revision) => {
    const made = withVersion(object, String(revision));
    return { bytes: encodeStored(made), object: made };
  };
}

/** The object with another version; without any when that is empty. The order of keys stays. */
export function withVersion(object: JsonRecord, version: string): JsonRecord {
  const metadata: JsonRecord = isRecord(object["metadata"]) ? { ...object["metadata"] } : {};
  if (version === "") delete metadata["resourceVersion"];
  else safeSet(metadata, "resourceVersion", version);
  return { ...object, metadata };
}
