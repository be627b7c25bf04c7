import { deepClone, type JsonRecord, qualifiedNameProblems } from "@homeostat/core";
import { listAt, textAt } from "../../../values/fields.ts";
import { age, nameOf } from "../../../tables/cell-text.ts";
import { carryOver } from "../../updates/carry-over.ts";
import type { Field } from "../../../validation/field.ts";
import { fill, partOf } from "../../defaulting/fill.ts";
import { checkFinalizerName } from "../../../validation/finalizers.ts";
import { labelName } from "../../../validation/names.ts";
import { fieldAt, nameField, selectable } from "../../selectors/selectable-fields.ts";
import type { KindStrategy } from "../../strategy.ts";

/** Namespaces: a delete request marks them as terminating, and they are removed when `spec.finalizers` is empty. */
export const namespaceStrategy: KindStrategy = {
  group: "",
  plural: "namespaces",
  returnsDeletedObject: true,
  defaults: {
    "core.v1.Namespace": { rule: setNameLabel },
    "core.v1.NamespaceStatus": { rule: (value) => fill(value, { phase: "Active" }) },
  },
  prepareForCreate: prepareNewNamespace,
  // Only the subresource `finalize` changes `spec.finalizers`.
  prepareForUpdate: (object, old) => carryOver(partOf(object, "spec"), partOf(deepClone(old), "spec"), "finalizers"),
  validateName: labelName,
  validate: checkNamespace,
  status: { validate: checkNamespaceStatus },
  termination: {
    begin: (namespace) => void (partOf(namespace, "status")["phase"] = "Terminating"),
    isFinal: (namespace) => listAt(namespace, "spec", "finalizers").length === 0,
  },
  table: { cells: namespaceCells },
  fieldSelectors: selectable(fieldAt("status.phase"), nameField),
};

/** Validates a Namespace except for its metadata; see `ValidateNamespace` in Kubernetes. */
function checkNamespace(object: Field): void {
  for (const finalizer of object.at("spec").at("finalizers").items()) {
    const field = finalizer.as("spec.finalizers");
    field.each(qualifiedNameProblems(finalizer.text));
    checkFinalizerName(field);
  }
}

/** Checks that the phase agrees with the deletion timestamp. */
function checkNamespaceStatus(object: Field): void {
  const phase = object.at("status").at("phase").as("status.Phase");
  const isTerminating = object.at("metadata").at("deletionTimestamp").text !== "";
  if (!isTerminating && phase.text !== "Active") phase.invalid("may only be 'Active' if `deletionTimestamp` is empty");
  if (isTerminating && phase.text !== "Terminating")
    phase.invalid("may only be 'Terminating' if `deletionTimestamp` is not empty");
}

/** Sets the label `kubernetes.io/metadata.name`, with which the `namespaceSelector` of webhooks and policies can select by name. */
function setNameLabel(value: JsonRecord): void {
  const name = textAt(value, "metadata", "name");
  if (name !== "") partOf(partOf(value, "metadata"), "labels")["kubernetes.io/metadata.name"] = name;
}

function prepareNewNamespace(object: JsonRecord): void {
  // A generated name was not known when defaults were set.
  if (textAt(object, "metadata", "generateName") !== "") setNameLabel(object);
  object["status"] = { phase: "Active" };
  const spec = partOf(object, "spec");
  const finalizers = listAt(spec, "finalizers");
  if (!finalizers.includes("kubernetes")) spec["finalizers"] = [...finalizers, "kubernetes"];
}

function namespaceCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), textAt(object, "status", "phase"), age(object, nowMs)];
}
