import { forbidden, type Problem } from "../problem/problem.ts";
import { checkPattern } from "./check-pattern.ts";
import type { SchemaNode } from "./node.ts";

/** Checks what stands inside `anyOf`, `allOf`, `oneOf` and `not` of a node. */
export function checkBranches(node: SchemaNode, path: string): Problem[] {
  return check(node, path, {
    skipsAnyOf: isIntOrStringChoice(node),
    skipsFirstAllOf: isIntOrStringChoice(node.allOf[0]),
  });
}

/** Whether a node lets a value be an integer or a text: the one choice of types that may be written out. */
function isIntOrStringChoice(node: SchemaNode | undefined): boolean {
  const [first, second] = node?.anyOf ?? [];
  return node?.anyOf.length === 2 && hasOnlyType(first, "integer") && hasOnlyType(second, "string");
}

function hasOnlyType(node: SchemaNode | undefined, type: string): boolean {
  return node?.type === type && node.keywords.size === 1;
}

function check(
  node: SchemaNode,
  path: string,
  { skipsAnyOf, skipsFirstAllOf }: { skipsAnyOf: boolean; skipsFirstAllOf: boolean },
): Problem[] {
  const problems: Problem[] = [];
  if (!skipsAnyOf)
    node.anyOf.forEach((branch, index) => problems.push(...checkInside(branch, `${path}.anyOf[${index}]`)));
  node.allOf.forEach((branch, index) => {
    const skips = skipsFirstAllOf && index === 0;
    problems.push(...checkInside(branch, `${path}.allOf[${index}]`, { skipsAnyOf: skips }));
  });
  node.oneOf.forEach((branch, index) => problems.push(...checkInside(branch, `${path}.oneOf[${index}]`)));
  if (node.not !== undefined) problems.push(...checkInside(node.not, `${path}.not`));
  return problems;
}

/** Checks a node that may only restrict values. */
function checkInside(node: SchemaNode, path: string, { skipsAnyOf = false } = {}): Problem[] {
  const problems = [...check(node, path, { skipsAnyOf, skipsFirstAllOf: false }), ...checkPattern(node, path)];
  if (node.items !== undefined) problems.push(...checkInside(node.items, `${path}.items`));
  for (const [name, property] of node.properties) {
    problems.push(...checkInside(property, `${path}.properties[${name}]`));
  }
  for (const [keyword, isPresent, detail] of structureOf(node)) {
    if (isPresent) problems.push(forbidden(`${path}.${keyword}`, detail));
  }
  // Restrictions of metadata would reach further than their author thinks.
  if (node.properties.has("metadata")) {
    problems.push(forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  }
  return problems;
}

const isEmpty = "must be empty to be structural";
const isUndefined = "must be undefined to be structural";
const isFalse = "must be false to be structural";

function structureOf(node: SchemaNode): readonly (readonly [keyword: string, isPresent: boolean, detail: string])[] {
  return [
    ["type", node.type !== "", isEmpty],
    [
      "additionalProperties",
      node.additionalProperties !== undefined && node.additionalProperties !== false,
      isUndefined,
    ],
    ["default", node.default !== undefined, isUndefined],
    ["title", node.title !== "", isEmpty],
    ["description", node.description !== "", isEmpty],
    ["nullable", node.nullable, isFalse],
    ["x-kubernetes-preserve-unknown-fields", node.preserveUnknownFields === true, isFalse],
    ["x-kubernetes-embedded-resource", node.embeddedResource, isFalse],
    ["x-kubernetes-int-or-string", node.intOrString, isFalse],
    ["x-kubernetes-list-map-keys", node.listMapKeys.length > 0, isEmpty],
    ["x-kubernetes-list-type", node.listType !== undefined, isUndefined],
    ["x-kubernetes-map-type", node.mapType !== undefined, isUndefined],
    ["x-kubernetes-validations", node.rules.length > 0, isEmpty],
  ];
}
