// The annotation that counts the changes of a DaemonSet's template. It replaces the field `spec.templateGeneration` of earlier versions;
// the server sets it regardless of what clients send.

import { deepClone, isEqual, type JsonRecord } from "@homeostat/core";
import { textAt, valueAt } from "../../../values/fields.ts";
import { partOf } from "../../defaulting/fill.ts";

const templateGeneration = "deprecated.daemonset.template.generation";

/** Returns a DaemonSet with the annotation: the Go conversion writes `spec.templateGeneration` of the internal type into it, 0 if unset. */
export function decodeTemplateGeneration(object: JsonRecord): JsonRecord {
  if (textAt(object, "metadata", "annotations", templateGeneration) !== "") return object;
  const copy = deepClone(object);
  partOf(partOf(copy, "metadata"), "annotations")[templateGeneration] = "0";
  return copy;
}

/** Starts the count of a new DaemonSet. */
export function startTemplateGeneration(object: JsonRecord): void {
  partOf(partOf(object, "metadata"), "annotations")[templateGeneration] = "1";
}

/** Counts an update that changes the template, and ignores the count that the client sent. */
export function countTemplateChanges(object: JsonRecord, old: JsonRecord): void {
  const before = Number(textAt(old, "metadata", "annotations", templateGeneration)) || 0;
  const isSame = isEqual(valueAt(object, "spec", "template"), valueAt(old, "spec", "template"));
  const annotations = partOf(partOf(object, "metadata"), "annotations");
  annotations[templateGeneration] = String(isSame ? before : before + 1);
}
