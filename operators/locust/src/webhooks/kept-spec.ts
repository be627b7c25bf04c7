// How a v2 spec travels with a v1 object: as JSON in an annotation.

import { isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { annotations } from "../api/identity.ts";

/** What the annotations of a v1 object say about the v2 spec. */
export type Kept =
  /** v1 says all there is. */
  | { readonly at: "absent" }
  /** This is the v2 spec. */
  | { readonly at: "present"; readonly spec: JsonRecord }
  /** It was too large. */
  | { readonly at: "omitted" }
  /** Somebody put something else there. */
  | { readonly at: "unreadable" };

const specBytesMax = 200 * 1024;

/** What an API server takes in all annotations of an object together. */
const annotationsBytesMax = 256 * 1024;

/** Metadata without our two annotations, and what they said. */
export function takeSpec(metadata: unknown): { readonly metadata: JsonRecord; readonly kept: Kept } {
  const rest: JsonRecord = isRecord(metadata) ? { ...metadata } : {};
  const all = ownValue(rest, "annotations");
  if (!isRecord(all)) return { metadata: rest, kept: { at: "absent" } };
  const text = ownValue(all, annotations.v2Spec);
  const isOmitted = ownValue(all, annotations.v2SpecOmitted) !== undefined;
  if (text === undefined && !isOmitted) return { metadata: rest, kept: { at: "absent" } };
  const others = Object.entries(all).filter(
    ([name]) => name !== annotations.v2Spec && name !== annotations.v2SpecOmitted,
  );
  if (others.length === 0) delete rest["annotations"];
  else rest["annotations"] = Object.fromEntries(others);
  return { metadata: rest, kept: isOmitted ? { at: "omitted" } : readSpec(text) };
}

/** Metadata with the v2 spec in an annotation, or with a mark instead where it is too large for one. */
export function putSpec(metadata: JsonRecord, spec: object): JsonRecord {
  const others = ownValue(metadata, "annotations");
  const present: JsonRecord = isRecord(others) ? { ...others } : {};
  const text = JSON.stringify(spec);
  const used = Object.entries(present).reduce((sum, [name, value]) => sum + bytes(name) + bytes(String(value)), 0);
  const size = bytes(text);
  const fits = size <= specBytesMax && used + size + annotations.v2Spec.length <= annotationsBytesMax;
  const added = fits ? { [annotations.v2Spec]: text } : { [annotations.v2SpecOmitted]: "true" };
  return { ...metadata, annotations: { ...present, ...added } };
}

function readSpec(text: unknown): Kept {
  if (typeof text !== "string") return { at: "unreadable" };
  try {
    const spec: unknown = JSON.parse(text);
    return isRecord(spec) ? { at: "present", spec } : { at: "unreadable" };
  } catch {
    return { at: "unreadable" };
  }
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
