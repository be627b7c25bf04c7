// Checks that a schema is structural: every field is declared with its type outside of `allOf`, `anyOf`, `oneOf` and `not`, and
// inside of these are only restrictions of values.

import { compareText } from "../problem/print.ts";
import { forbidden, formatProblem, invalid, required, type Problem } from "../problem/problem.ts";
import { checkBranches } from "./branches.ts";
import { checkPattern } from "./check-pattern.ts";
import { checkCompleteness } from "./completeness.ts";
import type { SchemaNode } from "../structural/node.ts";

/** Position of a node, which determines the message for a missing type and the metadata that it may declare. */
export type Level = "root" | "item" | "field";

/** Checks that a schema is structural. Problems are sorted by message, as the API server does. */
export function checkStructural(node: SchemaNode, path: string): Problem[] {
  const problems = [...checkInvariants(node, "root", path), ...checkCompleteness(node, path)];
  return problems.sort((a, b) => compareText(formatProblem(a), formatProblem(b)));
}

function checkInvariants(node: SchemaNode, level: Level, path: string): Problem[] {
  const problems: Problem[] = [];
  if (node.type === "array" && node.items === undefined) problems.push(required(`${path}.items`, "must be specified"));
  if (node.items !== undefined) problems.push(...checkInvariants(node.items, "item", `${path}.items`));
  for (const [name, property] of node.properties) {
    problems.push(...checkInvariants(property, "field", `${path}.properties[${name}]`));
  }
  const { additionalProperties } = node;
  if (additionalProperties !== undefined && level === "root") {
    problems.push(forbidden(`${path}.additionalProperties`, "must not be used at the root"));
  }
  if (typeof additionalProperties === "object") {
    problems.push(...checkInvariants(additionalProperties, "field", `${path}.additionalProperties`));
  }
  problems.push(...checkIntOrString(node, path), ...checkBranches(node, path), ...checkPattern(node, path));
  problems.push(...checkType(node, level, path), ...checkMeta(node, level, path));
  if (node.embeddedResource && additionalProperties !== undefined) {
    const detail = "must not be used if x-kubernetes-embedded-resource is set";
    problems.push(forbidden(`${path}.additionalProperties`, detail));
  }
  if (node.embeddedResource && node.preserveUnknownFields !== true && node.properties.size === 0) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    problems.push(required(`${path}.properties`, detail));
  }
  return problems;
}

function checkIntOrString(node: SchemaNode, path: string): Problem[] {
  if (!node.intOrString) return [];
  const detail = "must be false if x-kubernetes-int-or-string is true";
  const problems: Problem[] = [];
  if (node.preserveUnknownFields === true) {
    problems.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, { value: true }, detail));
  }
  if (node.embeddedResource) {
    problems.push(invalid(`${path}.x-kubernetes-embedded-resource`, { value: true }, detail));
  }
  return problems;
}

const typeMissing: { readonly [level in Level]: string } = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function checkType(node: SchemaNode, level: Level, path: string): Problem[] {
  const { type } = node;
  const problems: Problem[] = [];
  if (node.embeddedResource && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    problems.push(type === "" ? required(`${path}.type`, detail) : invalid(`${path}.type`, { value: type }, detail));
  } else if (type === "" && !node.intOrString && node.preserveUnknownFields !== true) {
    problems.push(required(`${path}.type`, typeMissing[level]));
  }
  if (level === "root" && type !== "" && type !== "object") {
    problems.push(invalid(`${path}.type`, { value: type }, "must be object at the root"));
  }
  return problems;
}

/** Checks `apiVersion`, `kind` and `metadata` of a resource, which a schema may restrict only in a few ways. */
function checkMeta(node: SchemaNode, level: Level, path: string): Problem[] {
  const problems: Problem[] = [];
  const isResource = level === "root" || node.embeddedResource;
  for (const name of ["kind", "apiVersion"]) {
    const field = node.properties.get(name);
    if (field !== undefined && isResource && field.type !== "string") {
      problems.push(invalid(`${path}.properties[${name}].type`, { value: field.type }, "must be string"));
    }
  }
  const metadata = node.properties.get("metadata");
  if (metadata === undefined) return problems;
  const at = `${path}.properties[metadata]`;
  if (isResource && metadata.type !== "object") {
    problems.push(invalid(`${at}.type`, { value: metadata.type }, "must be object"));
  }
  if (level === "root" && !isPlainMetadata(metadata)) {
    const detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    problems.push(forbidden(at, detail));
  }
  return problems;
}

function isPlainMetadata({ keywords, properties }: SchemaNode): boolean {
  // A default of metadata is reported by `checkNode`.
  const known = new Set(["type", "default", "properties"]);
  const names = [...properties.keys()];
  return (
    [...keywords].every((keyword) => known.has(keyword)) &&
    names.every((name) => name === "name" || name === "generateName")
  );
}
