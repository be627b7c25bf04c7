// Turns definitions into structural schemas, as text: object literals that name each other's constants.

import type { Definition, Node } from "./input.ts";
import { key, quote, stringArray } from "./typescript.ts";

/** The text of a schema node; `reference` gives the text for a definition that the node refers to. */
export function structural(node: Node, reference: (definition: string) => string): string {
  if (node.$ref !== undefined) {
    const target = reference(node.$ref);
    const extra = members(node, reference);
    return extra.length === 0 ? target : `{ ...${target}, ${extra.join(", ")} }`;
  }
  const text = `{ ${members(node, reference).join(", ")} }`;
  return leaves.get(text) ?? text;
}

/** The text of a definition's own schema, one property per line. */
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
 * What CRD generators print of a node: its type, its elements, how lists merge, and defaults that the Go source asks for.
 *
 * Enums are left out as they do: the server that takes the object in the end checks the value, and a later release may
 * know more values than this one.
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

/** The commonest small schemas, which every schema module shares as constants: name by text. */
export const leaves: ReadonlyMap<string, string> = new Map([
  ['{ type: "string" }', "string"],
  ['{ type: "boolean" }', "boolean"],
  ['{ type: "integer", format: "int32" }', "int32"],
  ['{ type: "integer", format: "int64" }', "int64"],
  ['{ type: "array", items: string, "x-kubernetes-list-type": "atomic" }', "strings"],
  ['{ type: "object", additionalProperties: string }', "stringMap"],
]);
