// Stores a stash as JSON in an annotation of the object in the version that cannot represent the stashed values.

import { isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import type { Change, Step } from "./stash.ts";

/** The content of a stash annotation. */
export type Stash =
  /** The object has no such annotation. */
  | { readonly at: "absent" }
  /** The stashed changes. */
  | { readonly at: "present"; readonly changes: readonly Change[] }
  /** The changes were too large for an annotation and were omitted. */
  | { readonly at: "omitted" }
  /** The annotation was edited and is not a list of changes. */
  | { readonly at: "unreadable" };

const omitted = "omitted";

/** Limit of the API server for the total size of all annotations of an object, keys included. */
const annotationsBytesMax = 256 * 1024;

/** Removes the stash annotation `key` from metadata. Returns a copy of the metadata, and the stash. */
export function takeStash(metadata: unknown, key: string): { metadata: JsonRecord; stash: Stash } {
  const rest: JsonRecord = isRecord(metadata) ? { ...metadata } : {};
  const annotations = ownValue(rest, "annotations");
  const text = isRecord(annotations) ? ownValue(annotations, key) : undefined;
  if (!isRecord(annotations) || text === undefined) return { metadata: rest, stash: { at: "absent" } };
  const others = Object.entries(annotations).filter(([name]) => name !== key);
  if (others.length === 0) delete rest["annotations"];
  else rest["annotations"] = Object.fromEntries(others);
  return { metadata: rest, stash: typeof text === "string" ? readStash(text) : { at: "unreadable" } };
}

/**
 * Returns a copy of the metadata with the changes in the annotation `key`. If they are larger than `bytesMax` or exceed the total
 * limit of annotations, the annotation has the value `omitted` instead.
 */
export function putStash(
  metadata: JsonRecord,
  changes: readonly Change[],
  { key, bytesMax }: { readonly key: string; readonly bytesMax: number },
): { metadata: JsonRecord; isOmitted: boolean } {
  const others = ownValue(metadata, "annotations");
  const annotations: JsonRecord = isRecord(others) ? { ...others } : {};
  const text = JSON.stringify(changes);
  const used = Object.entries(annotations).reduce(
    (sum, [name, value]) => sum + bytes(name) + bytes(String(value)),
    bytes(key),
  );
  const isOmitted = bytes(text) > Math.min(bytesMax, annotationsBytesMax - used);
  safeSet(annotations, key, isOmitted ? omitted : text);
  return { metadata: { ...metadata, annotations }, isOmitted };
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

function readStash(text: string): Stash {
  if (text === omitted) return { at: "omitted" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { at: "unreadable" };
  }
  return isList(value) && value.every(isChange) ? { at: "present", changes: value } : { at: "unreadable" };
}

function isChange(value: unknown): value is Change {
  if (!isRecord(value)) return false;
  const at = ownValue(value, "at");
  return isList(at) && at.length > 0 && at.every(isStep) && typeof at.at(-1) === "string";
}

function isStep(value: unknown): value is Step {
  return typeof value === "string" || (isRecord(value) && Object.keys(value).length > 0);
}
