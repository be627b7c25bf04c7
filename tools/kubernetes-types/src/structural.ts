// Converts definitions to the source text of structural schemas: object literals that refer to each other's constants.

import type { Definition, Node } from "./input.ts";
import { key, quote, stringArray } from "@homeostat/schema/internal";

/** Returns the source text of a schema node; `reference` returns the text for a referenced definition. */
export function structural(node: Node, reference: (definition: string) => string): string {
  if (node.$ref !== undefined) {
    const target = reference(node.$ref);
    const extra = members(node, reference);
    return extra.length === 0 ? target : `{ ...${target}, ${extra.join(", ")} }`;
  }
  const text = `{ ${members(node, reference).join(", ")} }`;
  return leaves.get(text) ?? text;
}

/** Returns the source text of a definition's schema, one property per line. */
export function structuralDefinition(definition: Definition, reference: (definition: string) => string): string {
  const fields = Object.entries(definition.properties ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = ['  type: "object",'];
  if (fields.length > 0) {
    lines.push("  properties: {");
    for (const [field, node] of fields) lines.push(`    ${key(field)}: ${structural(node, reference)},`);
    lines.push("  },");
  }
  const required = [...(definition.required ?? [])].sort();
  if (required.length > 0) lines.push(`  required: ${stringArray(required)},`);
  if (definition["x-kubernetes-map-type"] !== undefined) {
    lines.push(`  "x-kubernetes-map-type": ${quote(definition["x-kubernetes-map-type"])},`);
  }
  return `{\n${lines.join("\n")}\n}`;
}

/**
 * Returns the parts of a node that CRD generators emit: type, elements, list type, and defaults declared in the Go source.
 *
 * Enums are omitted, as controller-gen does: the server that finally receives the object checks the value, and a later release may
 * accept more values than this one.
 */
function members(node: Node, reference: (definition: string) => string): string[] {
  const found: string[] = [];
  const add = (name: string, text: string): void => void found.push(`${key(name)}: ${text}`);
  if (node.type !== undefined) add("type", quote(node.type));
  if (node.format !== undefined) add("format", quote(node.format));
  if (isScalar(node.default)) add("default", JSON.stringify(node.default));
  if (node.items !== undefined) add("items", structural(node.items, reference));
  if (node.additionalProperties !== undefined) {
    add("additionalProperties", structural(node.additionalProperties, reference));
  }
  const listType = node["x-kubernetes-list-type"];
  const listMapKeys = node["x-kubernetes-list-map-keys"];
  const mapType = node["x-kubernetes-map-type"];
  if (listType !== undefined) add("x-kubernetes-list-type", quote(listType));
  if (listMapKeys !== undefined) add("x-kubernetes-list-map-keys", stringArray(listMapKeys));
  if (mapType !== undefined) add("x-kubernetes-map-type", quote(mapType));
  return found;
}

function isScalar(value: unknown): boolean {
  return value !== undefined && typeof value !== "object";
}

/** The most common small schemas, shared as constants in every schema module: name by text. */
export const leaves: ReadonlyMap<string, string> = new Map([
  ['{ type: "string" }', "string"],
  ['{ type: "boolean" }', "boolean"],
  ['{ type: "integer", format: "int32" }', "int32"],
  ['{ type: "integer", format: "int64" }', "int64"],
  ['{ type: "array", items: string, "x-kubernetes-list-type": "atomic" }', "strings"],
  ['{ type: "object", additionalProperties: string }', "stringMap"],
]);
