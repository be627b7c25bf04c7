import { isRecord, type JsonRecord, ownValue, safeSet, utf8Length } from "@homeostat/core";
import { canonicalJson } from "./canonical-json.ts";
import { compareTyped } from "./compare-values.ts";
import type { FieldSet } from "./field-set.ts";
import { ownFields } from "./own-fields.ts";
import { type TypedObject, typedObject } from "./typed-object.ts";
import { ApplyFault } from "./apply-fault.ts";

/** The annotation in which `kubectl apply` without `--server-side` keeps what it applied. */
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

const annotationBytesMax = 256 * 1024;

/**
 * The fields a client-side apply set and that still are as it set them.
 *
 * A server-side apply of the same tool may take these from anybody: they were its own. Undefined when the object does not
 * tell, or tells something unfit.
 */
export function clientSideFields(live: TypedObject): FieldSet | undefined {
  const text = annotationOf(live.value);
  if (text === undefined || text === "") return undefined;
  const applied = parse(text);
  if (!isRecord(applied) || ownValue(applied, "apiVersion") !== live.apiVersion) return undefined;
  // Client-side applies always name the kind; without one the annotation is not theirs.
  if (typeof ownValue(applied, "kind") !== "string" || ownValue(applied, "kind") === "") return undefined;
  try {
    typedObject(live);
    const last = typedObject({ ...live, value: applied });
    const { modified, added, removed } = compareTyped(live.type, last.value, live.value);
    return ownFields(live.type, last.value).difference(modified).difference(added).difference(removed);
  } catch (error) {
    if (error instanceof ApplyFault) return undefined;
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function annotationOf(object: unknown): string | undefined {
  const metadata = isRecord(object) ? ownValue(object, "metadata") : undefined;
  const annotations = isRecord(metadata) ? ownValue(metadata, "annotations") : undefined;
  const text = isRecord(annotations) ? ownValue(annotations, lastAppliedAnnotation) : undefined;
  return typeof text === "string" ? text : undefined;
}

/**
 * The object with the annotation brought up to date, when it has one: so that client-side tools that come later see what
 * was applied. An annotation that would become too large goes instead.
 */
export function syncLastApplied(object: JsonRecord, config: JsonRecord): JsonRecord {
  const old = annotationOf(object);
  if (old === undefined || old === "") return object;
  const metadata = recordAt(object, "metadata");
  const annotations: JsonRecord = { ...recordAt(metadata, "annotations") };
  safeSet(annotations, lastAppliedAnnotation, lastAppliedText(config));
  if (bytesOf(annotations) > annotationBytesMax) delete annotations[lastAppliedAnnotation];
  return { ...object, metadata: { ...metadata, annotations } };
}

/** A configuration as the annotation holds it: without the annotation, keys in order, with a line end. */
function lastAppliedText(config: JsonRecord): string {
  const metadata = ownValue(config, "metadata");
  if (!isRecord(metadata)) return `${canonicalJson(config)}\n`;
  const { annotations, ...rest } = metadata;
  if (!isRecord(annotations)) return `${canonicalJson({ ...config, metadata: rest })}\n`;
  const { [lastAppliedAnnotation]: _, ...others } = annotations;
  return `${canonicalJson({ ...config, metadata: { ...rest, annotations: others } })}\n`;
}

function recordAt(record: Readonly<JsonRecord>, name: string): JsonRecord {
  const value = ownValue(record, name);
  return isRecord(value) ? value : {};
}

function bytesOf(annotations: Readonly<JsonRecord>): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(annotations)) bytes += utf8Length(name) + utf8Length(String(value));
  return bytes;
}
