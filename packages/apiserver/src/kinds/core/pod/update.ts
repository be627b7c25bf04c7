// Updates of a pod may change images and the deadline, add tolerations and remove scheduling gates, and nothing else.

import { isEqual, isRecord, type JsonRecord } from "@homeostat/core";
import { listAt, textAt } from "../../../values/fields.ts";
import type { Field } from "../../../validation/field.ts";
import { printedDifference } from "../../printed-values/printed-difference.ts";
import { printedAs } from "../../printed-values/printed.ts";

const forbiddenMessage =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

const deadlineMax = 2_147_483_647;

/** Checks that an update changes only the mutable fields of a pod. */
export function checkChangedPod(object: Field, old: Field): void {
  const [spec, before] = [object.at("spec"), old.at("spec")];
  for (const name of ["containers", "initContainers"]) {
    if (spec.at(name).length !== before.at(name).length) {
      spec.at(name).forbidden("pod updates may not add or remove containers");
      return;
    }
    for (const item of spec.at(name).items()) if (item.at("image").text.trim() === "") item.at("image").required();
  }
  if (!checkDeadline(spec.at("activeDeadlineSeconds"), before.at("activeDeadlineSeconds"))) return;
  checkTolerations(spec.at("tolerations"), before.at("tolerations"));
  checkGates(spec.at("schedulingGates"), before.at("schedulingGates"));
  const now = ignoringMutableFields(spec.value, before.value);
  if (isEqual(now, before.value)) return;
  const difference = printedDifference(printedAs("PodSpec", before.value), printedAs("PodSpec", now));
  spec.forbidden(`${forbiddenMessage}\n${difference}`);
}

/** Checks the deadline, and reports whether the remaining checks apply. */
function checkDeadline(deadline: Field, before: Field): boolean {
  if (!deadline.isSet) {
    if (before.isSet) deadline.invalid("must not update from a positive integer to nil value", null);
    return true;
  }
  if (deadline.number < 0 || deadline.number > deadlineMax) {
    deadline.invalid(`must be between 0 and ${deadlineMax}, inclusive`);
    return false;
  }
  if (!before.isSet || before.number >= deadline.number) return true;
  deadline.invalid("must be less than or equal to previous value");
  return false;
}

/** Checks that tolerations are only added; `tolerationSeconds` of existing ones may change. */
function checkTolerations(tolerations: Field, before: Field): void {
  const now = tolerations.items().map(({ value }) => value);
  const isKept = before.items().every(({ value }) => {
    const isTimed = textAt(value, "effect") === "NoExecute";
    return now.some((each) => isEqual(each, value) || (isTimed && isEqual(untimed(each), untimed(value))));
  });
  if (!isKept) tolerations.forbidden("existing toleration can not be modified except its tolerationSeconds");
}

function untimed(toleration: unknown): unknown {
  if (!isRecord(toleration)) return toleration;
  const { tolerationSeconds: _, ...rest } = toleration;
  return rest;
}

function checkGates(gates: Field, before: Field): void {
  const known = new Set(before.items().map((gate) => gate.at("name").text));
  for (const gate of gates.items()) {
    const { text: name } = gate.at("name");
    if (!known.has(name)) gate.forbidden(`only deletion is allowed, but found new scheduling gate '${name}'`);
  }
}

/** Returns the new spec with the mutable fields of the old one. */
function ignoringMutableFields(spec: unknown, before: unknown): JsonRecord {
  if (!isRecord(spec) || !isRecord(before)) return {};
  const kept: JsonRecord = { ...spec };
  const keep = (name: string): void => {
    if (before[name] === undefined) delete kept[name];
    else kept[name] = before[name];
  };
  for (const name of ["activeDeadlineSeconds", "tolerations", "schedulingGates"]) keep(name);
  for (const name of ["containers", "initContainers"]) {
    if (kept[name] !== undefined) kept[name] = withImages(kept[name], before[name]);
  }
  const { terminationGracePeriodSeconds: grace } = before;
  if (typeof grace === "number" && grace < 0 && spec["terminationGracePeriodSeconds"] === 1)
    keep("terminationGracePeriodSeconds");
  // The scheduling directives of a pod with scheduling gates may change.
  if (listAt(before, "schedulingGates").length > 0) {
    keep("nodeSelector");
    keep("affinity");
  }
  return kept;
}

function withImages(containers: unknown, before: unknown): unknown[] {
  const old = listAt(before);
  return listAt(containers).map((each, index) => {
    const image = textAt(old[index], "image");
    return isRecord(each) ? { ...each, image } : each;
  });
}
