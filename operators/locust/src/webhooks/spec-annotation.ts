// The annotation with which the v1 form of a test carries its whole v2 spec as JSON.

import { isRecord, type JsonRecord, ownValue, utf8Length } from "@homeostat/core";
import { annotations } from "../api/names.ts";

/**
 * The v2 spec of the annotation, or the reason why there is none: `absent` if v1 can express the whole spec, `omitted` if the
 * spec was too large, `unreadable` if the annotation was edited and contains no JSON object.
 */
export type Kept = JsonRecord | "absent" | "omitted" | "unreadable";

const specBytesMax = 200 * 1024;
/** The API server's limit for all annotations of an object together. */
const annotationsBytesMax = 256 * 1024;

/** Returns the metadata without the two annotations, and the spec they contained. */
export function takeSpecAnnotation(metadata: unknown): { readonly metadata: JsonRecord; readonly kept: Kept } {
  const rest: JsonRecord = isRecord(metadata) ? { ...metadata } : {};
  const all = ownValue(rest, "annotations");
  if (!isRecord(all)) return { metadata: rest, kept: "absent" };
  const text = ownValue(all, annotations.v2Spec);
  const isOmitted = ownValue(all, annotations.v2SpecOmitted) !== undefined;
  if (text === undefined && !isOmitted) return { metadata: rest, kept: "absent" };
  const others = Object.entries(all).filter(
    ([name]) => name !== annotations.v2Spec && name !== annotations.v2SpecOmitted,
  );
  if (others.length === 0) delete rest["annotations"];
  else rest["annotations"] = Object.fromEntries(others);
  return { metadata: rest, kept: isOmitted ? "omitted" : parse(text) };
}

/** Returns the metadata with the v2 spec in an annotation, or with a marker annotation if the spec is too large. */
export function addSpecAnnotation(metadata: JsonRecord, spec: object): JsonRecord {
  const others = ownValue(metadata, "annotations");
  const present: JsonRecord = isRecord(others) ? { ...others } : {};
  const text = JSON.stringify(spec);
  const size = utf8Length(text);
  const used = Object.entries(present).reduce(
    (sum, [name, value]) => sum + utf8Length(name) + utf8Length(String(value)),
    annotations.v2Spec.length,
  );
  const fits = size <= specBytesMax && used + size <= annotationsBytesMax;
  const added = fits ? { [annotations.v2Spec]: text } : { [annotations.v2SpecOmitted]: "true" };
  return { ...metadata, annotations: { ...present, ...added } };
}

function parse(text: unknown): Kept {
  if (typeof text !== "string") return "unreadable";
  try {
    const spec: unknown = JSON.parse(text);
    return isRecord(spec) ? spec : "unreadable";
  } catch {
    return "unreadable";
  }
}
