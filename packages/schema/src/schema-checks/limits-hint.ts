import type { Trail } from "./check-node.ts";
import { additionalSchema, type SchemaNode } from "../structural/node.ts";

const shownMax = 6;

/**
 * Returns a hint about the limits that are missing for a rule that is too expensive: on the lists and maps that contain it, and on
 * the value of the rule.
 *
 * @returns a sentence such as `Set maxItems on spec.ports, maxLength on spec.ports[*].name.`; undefined if no limit is missing.
 */
export function missingLimits(node: SchemaNode, trail: Trail | undefined): string | undefined {
  const missing: string[] = [];
  const ancestors: SchemaNode[] = [];
  for (let at = trail; at !== undefined; at = at.above) ancestors.unshift(at.node);
  let path = "";
  [...ancestors, node].forEach((each, index, all) => {
    const next = all[index + 1];
    if (next === undefined) collect(each, path, missing);
    else {
      if (missingLimit(each) !== undefined) addMissing(each, path, missing);
      path = stepTo(each, next, path);
    }
  });
  if (missing.length === 0) return undefined;
  const rest = missing.length > shownMax ? `, and ${missing.length - shownMax} more` : "";
  return `Set ${missing.slice(0, shownMax).join(", ")}${rest}.`;
}

/** Returns the keyword of the missing size limit of a node; undefined if the size is bounded. */
function missingLimit(node: SchemaNode): "maxItems" | "maxLength" | "maxProperties" | undefined {
  if (node.type === "array" && node.maxItems === undefined) return "maxItems";
  if (node.type === "object" && node.additionalProperties !== undefined && node.maxProperties === undefined) {
    return "maxProperties";
  }
  const isFixed = node.enum.length > 0 || ["date", "date-time", "duration"].includes(node.format);
  return (node.type === "string" || node.intOrString) && node.maxLength === undefined && !isFixed
    ? "maxLength"
    : undefined;
}

function addMissing(node: SchemaNode, path: string, missing: string[]): void {
  const keyword = missingLimit(node);
  if (keyword !== undefined) missing.push(`${keyword} on ${path === "" ? "the value of the rule" : path}`);
}

/** Adds the missing limits of a node and of all nodes below it. */
function collect(node: SchemaNode, path: string, missing: string[]): void {
  if (missing.length > 100) return;
  addMissing(node, path, missing);
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
