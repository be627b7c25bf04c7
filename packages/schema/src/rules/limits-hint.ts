import type { Trail } from "../structural/check-node.ts";
import { additionalSchema, type SchemaNode } from "../structural/node.ts";

const shownMax = 6;

/**
 * Which limits are missing where a rule is too dear: on the lists and maps it lies in, and on what it looks at.
 *
 * @returns a sentence such as `Set maxItems on spec.ports, maxLength on spec.ports[*].name.`, or `undefined`.
 */
export function missingLimits(node: SchemaNode, trail: Trail | undefined): string | undefined {
  const missing: string[] = [];
  const names: SchemaNode[] = [];
  for (let at = trail; at !== undefined; at = at.above) names.unshift(at.node);
  let path = "";
  [...names, node].forEach((each, index, all) => {
    const next = all[index + 1];
    if (next === undefined) collect(each, path, missing);
    else {
      if (limitOf(each) !== undefined) note(each, path, missing);
      path = stepTo(each, next, path);
    }
  });
  if (missing.length === 0) return undefined;
  const rest = missing.length > shownMax ? `, and ${missing.length - shownMax} more` : "";
  return `Set ${missing.slice(0, shownMax).join(", ")}${rest}.`;
}

/** The keyword that a node lacks to be bounded. */
function limitOf(node: SchemaNode): "maxItems" | "maxLength" | "maxProperties" | undefined {
  if (node.type === "array" && node.maxItems === undefined) return "maxItems";
  if (node.type === "object" && node.additionalProperties !== undefined && node.maxProperties === undefined) {
    return "maxProperties";
  }
  const isFixed = node.enum.length > 0 || ["date", "date-time", "duration"].includes(node.format);
  return (node.type === "string" || node.intOrString) && node.maxLength === undefined && !isFixed
    ? "maxLength"
    : undefined;
}

function note(node: SchemaNode, path: string, missing: string[]): void {
  const keyword = limitOf(node);
  if (keyword !== undefined) missing.push(`${keyword} on ${path === "" ? "the value with the rule" : path}`);
}

/** Notes what lacks a limit at a node and below. */
function collect(node: SchemaNode, path: string, missing: string[]): void {
  if (missing.length > 100) return;
  note(node, path, missing);
  if (node.items !== undefined) collect(node.items, `${path}[*]`, missing);
  const others = additionalSchema(node);
  if (others !== undefined) collect(others, `${path}[*]`, missing);
  for (const [name, property] of node.properties) collect(property, join(path, name), missing);
}

function stepTo(node: SchemaNode, next: SchemaNode, path: string): string {
  for (const [name, property] of node.properties) if (property === next) return join(path, name);
  return `${path}[*]`;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
