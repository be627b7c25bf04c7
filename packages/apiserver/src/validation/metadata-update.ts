import { quote } from "@homeostat/cel";
import { isEqual, type JsonRecord, pathSegmentProblems } from "@homeostat/core";
import { checkObjectMeta, type MetaRules, type Problem } from "@homeostat/schema";
import { Field } from "./field.ts";
import { recordOf, textOf, textsOf } from "../values/properties.ts";

const segmentName: MetaRules["nameProblems"] = (name) => pathSegmentProblems(name);

/**
 * Validates the metadata of an update, before the rules of the kind. `changed` is the result of
 * {@link checkMetaUpdate}.
 */
export function checkCommonMeta(object: JsonRecord, isNamespaced: boolean, changed: readonly Problem[]): Problem[] {
  const metadata = recordOf(object, "metadata");
  return [...checkObjectMeta(metadata, "metadata", { isNamespaced, nameProblems: segmentName }), ...changed];
}

/** Validates the immutable fields of metadata, and those that must always be valid. */
export function checkMetaUpdate(object: JsonRecord, old: JsonRecord): Problem[] {
  const problems: Problem[] = [];
  const [metadata, before] = [recordOf(object, "metadata"), recordOf(old, "metadata")];
  const field = new Field(metadata, "metadata", problems);
  if (textOf(before, "deletionTimestamp") !== "") checkNoNewFinalizers(field.at("finalizers"), metadata, before);
  if (field.at("resourceVersion").text === "") field.at("resourceVersion").invalid("must be specified for an update");
  const [generation, oldGeneration] = [generationOf(metadata), generationOf(before)];
  if (generation < oldGeneration) field.at("generation").invalid("must not be decremented", generation);
  for (const name of ["name", "namespace", "uid"]) {
    if (textOf(metadata, name) !== textOf(before, name)) field.at(name).invalid("field is immutable");
  }
  for (const name of ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"]) {
    if (!isEqual(metadata[name] ?? null, before[name] ?? null)) {
      field.at(name).invalid("field is immutable", metadata[name] ?? null);
    }
  }
  const { labels, annotations, ownerReferences, managedFields } = metadata;
  const rest = { name: "x", labels, annotations, ownerReferences, managedFields };
  return [...problems, ...checkObjectMeta(rest, "metadata", { isNamespaced: false, nameProblems: () => [] })];
}

function generationOf(metadata: JsonRecord): number {
  const generation = metadata["generation"];
  return typeof generation === "number" ? generation : 0;
}

function checkNoNewFinalizers(field: Field, metadata: JsonRecord, before: JsonRecord): void {
  const existing = new Set(textsOf(before, "finalizers"));
  const added = [...new Set(textsOf(metadata, "finalizers"))].filter((name) => !existing.has(name)).toSorted();
  if (added.length === 0) return;
  const list = added.map((name) => quote(name)).join(", ");
  field.forbidden(
    `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
  );
}
