import {
  dns1035LabelProblems,
  isRecord,
  type JsonRecord,
  pathSegmentPrefixProblems,
  pathSegmentProblems,
} from "@homeostat/core";
import { invalid, required, type Problem } from "../problem/problem.ts";
import { additionalSchema, type SchemaNode } from "../structural/node.ts";
import { hasKey } from "../value/record.ts";
import { checkObjectMeta } from "./check.ts";
import { decodeObjectMeta } from "./decode.ts";

/** Reports whether a node, or a node below it, is an embedded resource. */
export function hasEmbedded(node: SchemaNode): boolean {
  if (node.embeddedResource || (node.items !== undefined && hasEmbedded(node.items))) return true;
  const others = additionalSchema(node);
  return (others !== undefined && hasEmbedded(others)) || [...node.properties.values()].some(hasEmbedded);
}

/** Checks `apiVersion`, `kind` and `metadata` of every embedded resource in a value. */
export function checkEmbedded(node: SchemaNode, value: unknown, path: string): Problem[] {
  const problems: Problem[] = [];
  visitResources(node, value, path, (resource, at) => {
    problems.push(...checkResource(resource, at));
  });
  return problems;
}

function visitResources(
  node: SchemaNode,
  value: unknown,
  path: string,
  visit: (resource: JsonRecord, path: string) => void,
): void {
  if (Array.isArray(value)) {
    const { items } = node;
    if (items !== undefined)
      value.forEach((element, index) => visitResources(items, element, `${path}[${index}]`, visit));
    return;
  }
  if (!isRecord(value)) return;
  if (node.embeddedResource) visit(value, path);
  const others = additionalSchema(node);
  for (const [key, part] of Object.entries(value)) {
    const property = node.properties.get(key);
    if (property !== undefined) visitResources(property, part, child(path, key), visit);
    else if (others !== undefined) visitResources(others, part, `${path}[${key}]`, visit);
  }
}

function checkResource(resource: JsonRecord, path: string): Problem[] {
  const problems: Problem[] = [];
  for (const field of ["apiVersion", "kind"] as const) {
    const at = child(path, field);
    const value = hasKey(resource, field) ? resource[field] : undefined;
    const detail = typeof value === "string" ? textProblem(field, value) : "must be a string";
    if (value === undefined) problems.push(required(at));
    else if (detail !== undefined) problems.push(invalid(at, { value }, detail));
  }
  return hasKey(resource, "metadata")
    ? [...problems, ...checkMeta(resource["metadata"], child(path, "metadata"))]
    : problems;
}

function textProblem(field: "apiVersion" | "kind", text: string): string | undefined {
  if (text === "") return "must not be empty";
  if (field === "apiVersion") {
    return text.split("/").length > 2 ? `unexpected GroupVersion string: ${text}` : undefined;
  }
  const problems = dns1035LabelProblems(text.toLowerCase());
  return problems.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${problems.join(",")}`;
}

function checkMeta(value: unknown, path: string): Problem[] {
  const decoded = decodeObjectMeta(value);
  if ("problem" in decoded) return [invalid(path, { value }, () => decoded.problem)];
  // An embedded resource may lack a name, so the API server validates it with this one.
  const name = hasKey(decoded.meta, "name") ? decoded.meta["name"] : "fakename";
  const isNamespaced = hasKey(decoded.meta, "namespace");
  return checkObjectMeta({ ...decoded.meta, name }, path, { isNamespaced, nameProblems: segmentProblems });
}

/** Checks that a name is a valid URL path segment. An empty name is accepted here. */
function segmentProblems(name: string, { isPrefix }: { isPrefix: boolean }): string[] {
  return isPrefix || name === "" ? pathSegmentPrefixProblems(name) : pathSegmentProblems(name);
}

/** Returns the path of a property. The root path is "". */
export function child(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
