import { forbidden, type Problem } from "../problem/problem.ts";
import { checkPattern } from "./check-pattern.ts";
import type { SchemaNode } from "../structural/node.ts";

/** Checks the schemas inside `anyOf`, `allOf`, `oneOf` and `not` of a node. */
export function checkBranches(node: SchemaNode, path: string): Problem[] {
  return check(node, path, {
    skipsAnyOf: isIntOrStringChoice(node),
    skipsFirstAllOf: isIntOrStringChoice(node.allOf[0]),
  });
}

/** Reports whether a node is `anyOf: [{type: integer}, {type: string}]`, the only branches that may specify types. */
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

/** Checks a node inside a branch, where only keywords that restrict values are allowed. */
function checkInside(node: SchemaNode, path: string, { skipsAnyOf = false } = {}): Problem[] {
  const problems = [...check(node, path, { skipsAnyOf, skipsFirstAllOf: false }), ...checkPattern(node, path)];
  if (node.items !== undefined) problems.push(...checkInside(node.items, `${path}.items`));
  for (const [name, property] of node.properties) {
    problems.push(...checkInside(property, `${path}.properties[${name}]`));
  }
  for (const [keyword, isPresent, detail] of structureOf(node)) {
    if (isPresent) problems.push(forbidden(`${path}.${keyword}`, detail));
  }
  // The API server forbids restrictions of metadata in branches.
  if (node.properties.has("metadata")) {
    problems.push(forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  }
  return problems;
}

const mustBeEmpty = "must be empty to be structural";
const mustBeUndefined = "must be undefined to be structural";
const mustBeFalse = "must be false to be structural";

function structureOf(node: SchemaNode): readonly (readonly [keyword: string, isPresent: boolean, detail: string])[] {
  return [
    ["type", node.type !== "", mustBeEmpty],
    [
      "additionalProperties",
      node.additionalProperties !== undefined && node.additionalProperties !== false,
      mustBeUndefined,
    ],
    ["default", node.default !== undefined, mustBeUndefined],
    ["title", node.title !== "", mustBeEmpty],
    ["description", node.description !== "", mustBeEmpty],
    ["nullable", node.nullable, mustBeFalse],
    ["x-kubernetes-preserve-unknown-fields", node.preserveUnknownFields === true, mustBeFalse],
    ["x-kubernetes-embedded-resource", node.embeddedResource, mustBeFalse],
    ["x-kubernetes-int-or-string", node.intOrString, mustBeFalse],
    ["x-kubernetes-list-map-keys", node.listMapKeys.length > 0, mustBeEmpty],
    ["x-kubernetes-list-type", node.listType !== undefined, mustBeUndefined],
    ["x-kubernetes-map-type", node.mapType !== undefined, mustBeUndefined],
    ["x-kubernetes-validations", node.rules.length > 0, mustBeEmpty],
  ];
}
