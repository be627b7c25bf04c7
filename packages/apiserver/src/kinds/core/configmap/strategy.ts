import { countedAs } from "../../../admission/quota-evaluator.ts";
import { age, countOf, nameOf } from "../../../tables/cell-text.ts";
import { configBytesMax, configKeyProblems } from "../../pod-templates/config-data.ts";
import type { Field } from "../../../validation/field.ts";
import { immutableWhenMarked } from "../../updates/immutable.ts";
import type { KindStrategy } from "../../strategy.ts";

/** ConfigMaps: data is limited to 1 MiB, and does not change once `immutable` is set. */
export const configMapStrategy: KindStrategy = {
  group: "",
  plural: "configmaps",
  validate: checkConfigMap,
  validateUpdate: immutableWhenMarked("field is immutable when `immutable` is set", "data", "binaryData"),
  validatesUpdateFirst: true,
  quota: countedAs("configmaps"),
  table: { cells: configMapCells },
};

/** Validates a ConfigMap except for its metadata; see `ValidateConfigMap` in Kubernetes. */
function checkConfigMap(object: Field): void {
  let bytes = 0;
  const data = object.at("data");
  const binary = object.at("binaryData");
  for (const [key, value] of data.entries()) {
    const field = data.as(`data[${key}]`).with(key);
    field.each(configKeyProblems(key));
    if (binary.at(key).isSet) field.invalid("duplicate of key present in binaryData");
    bytes += Buffer.byteLength(String(value));
  }
  for (const [key, value] of binary.entries()) {
    binary.as(`binaryData[${key}]`).with(key).each(configKeyProblems(key));
    bytes += Buffer.from(String(value), "base64").length;
  }
  if (bytes > configBytesMax) object.as("").tooLong(configBytesMax);
}

function configMapCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), countOf(object, "data") + countOf(object, "binaryData"), age(object, nowMs)];
}
