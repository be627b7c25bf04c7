import { isRecord, type JsonRecord, ownValue, safeSet, utf8Length } from "@homeostat/core";
import { canonicalJson } from "./canonical-json.ts";
import { compareTyped } from "./compare-values.ts";
import type { FieldSet } from "./field-set.ts";
import { ownFields } from "./own-fields.ts";
import { type TypedObject, typedObject } from "./typed-object.ts";
import { ApplyFault } from "./apply-fault.ts";

/** The annotation in which `kubectl apply` without `--server-side` stores the configuration it applied. */
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

const annotationBytesMax = 256 * 1024;

/**
 * Returns the fields that a client-side apply set and that still have the values it set.
 *
 * A server-side apply by kubectl may take these fields from any manager, since kubectl itself set them. This lets users
 * migrate from client-side to server-side apply without conflicts. Returns undefined if the annotation is missing or
 * does not match the object.
 */
export function clientSideFields(live: TypedObject): FieldSet | undefined {
  const text = annotationOf(live.value);
  if (text === undefined || text === "") return undefined;
  const applied = parse(text);
  if (!isRecord(applied) || ownValue(applied, "apiVersion") !== live.apiVersion) return undefined;
  // Client-side apply always writes the kind; without it the annotation was written by another client.
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
 * Returns the object with an updated annotation, if it has one, so that a later client-side apply computes its patch
 * from what was applied last. An annotation that would exceed the size limit is removed instead.
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

/** Formats a configuration for the annotation: without the annotation itself, with sorted keys and a final newline. */
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
