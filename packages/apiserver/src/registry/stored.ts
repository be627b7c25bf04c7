// How objects are kept: as JSON, in the version of their kind that is stored, with their own version in it.

import { isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { encodeJson } from "../codec/encode-json.ts";
import { longNumber, readJson } from "../codec/read-value.ts";
import type { NewValue } from "../storage/entry.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Reads a stored object. */
export function decodeStored(bytes: Uint8Array): JsonRecord {
  const text = decoder.decode(bytes);
  const value: unknown = longNumber.test(text) ? readJson(text).value : JSON.parse(text);
  return isRecord(value) ? value : {};
}

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
