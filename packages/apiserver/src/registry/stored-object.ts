// Encoding of stored objects: JSON in the storage version of their kind, with their `resourceVersion`.

import { isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { encodeJson } from "../codec/encode-json.ts";
import { longNumber, readJson } from "../codec/read-value.ts";
import type { NewValue } from "../storage/entry.ts";
import type { FindShared } from "../storage/shared-parts.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Decodes a stored object. Integers beyond 2^53 need the slower reader, which keeps them exact. */
export function decodeStored(bytes: Uint8Array): JsonRecord {
  const text = decoder.decode(bytes);
  const value: unknown = longNumber.test(text) ? readJson(text).value : JSON.parse(text);
  return isRecord(value) ? value : {};
}

const fields = Buffer.from('"fieldsV1":{');

/**
 * Finds the first `fieldsV1` of a stored object. Objects of one kind written by one client have equal field sets, so the store keeps the
 * bytes once for all of them.
 */
export const findShared: FindShared = (bytes) => {
  const found = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(fields);
  if (found < 0) return undefined;
  const start = found + fields.length - 1;
  const end = endOfObject(bytes, start);
  return end === undefined ? undefined : { start, end };
};

/** Returns the offset after the JSON object that begins at `start`; undefined when it does not end. */
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

/** Encodes an object for the store. */
export function encodeStored(object: JsonRecord): Uint8Array {
  return encoder.encode(encodeJson(object));
}

/**
 * Returns a function that encodes the object with the revision of its write: the revision is known only inside the store. The metadata
 * must already have a `resourceVersion`, so that the key keeps its position.
 */
export function encodeAtRevision(object: JsonRecord): (revision: number) => NewValue<JsonRecord> {
  return (revision) => {
    const made = withVersion(object, String(revision));
    return { bytes: encodeStored(made), object: made };
  };
}

/** Returns the object with another `resourceVersion`, or without one when it is empty. The order of keys stays. */
export function withVersion(object: JsonRecord, version: string): JsonRecord {
  const metadata: JsonRecord = isRecord(object["metadata"]) ? { ...object["metadata"] } : {};
  if (version === "") delete metadata["resourceVersion"];
  else safeSet(metadata, "resourceVersion", version);
  return { ...object, metadata };
}
