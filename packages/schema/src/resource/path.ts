// Parses the JSON paths of a definition and resolves them in the schema.

import type { Schema } from "../structural/schema.ts";

/** One step of a path: a field, all items of a list, or one item. */
export type Step = { readonly field: string } | { readonly items: "each" | "one" };

const text: Schema = { type: "string" };
/** The schema of `metadata`. The schema of a CRD does not describe it, but paths may point into it. */
const metadata: Schema = {
  type: "object",
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    uid: text,
    resourceVersion: text,
    generation: { type: "integer", format: "int64" },
    creationTimestamp: { type: "string", format: "date-time" },
    deletionTimestamp: { type: "string", format: "date-time" },
    deletionGracePeriodSeconds: { type: "integer", format: "int64" },
    labels: { type: "object", additionalProperties: text },
    annotations: { type: "object", additionalProperties: text },
    finalizers: { type: "array", items: text },
    ownerReferences: {
      type: "array",
      items: { type: "object", properties: { apiVersion: text, kind: text, name: text, uid: text } },
    },
  },
};

const step =
  /(?:\.((?:\\.|[^.[\]\\])+)|\['([^']*)'\]|\["([^"]*)"\]|\[(\*|-?\d+)\]|\[\?\(((?:'[^']*'|"[^"]*"|[^'"\])])*)\)\])/y;

/**
 * Parses a JSON path: `.spec.ports[0].name`, `.status.conditions[?(@.type=="Ready")].status`.
 *
 * Returns undefined if the path is malformed or uses recursive descent, slices or unions, which are not supported.
 */
export function parsePath(path: string): Step[] | undefined {
  const steps: Step[] = [];
  step.lastIndex = 0;
  while (step.lastIndex < path.length) {
    const found = step.exec(path);
    if (found === null) return undefined;
    const [, dotted, single, double, index] = found;
    const field = dotted?.replaceAll(/\\(.)/g, "$1") ?? single ?? double;
    if (field !== undefined) steps.push({ field });
    else steps.push({ items: index === undefined || index === "*" ? "each" : "one" });
  }
  return steps.length > 0 ? steps : undefined;
}

/** The target of a path. */
export type Found =
  /** The schema of the field. */
  | { readonly schema: Schema }
  /** The path enters a part that the schema does not describe, such as one that preserves unknown fields. */
  | { readonly unknown: true }
  /** The schema has no such field. */
  | undefined;

/** Resolves a path from the root schema of a kind. */
export function resolvePath(root: Schema, steps: readonly Step[]): Found {
  let node: Schema = withMetadata(root);
  for (const next of steps) {
    const child = childOf(node, next);
    if (child === undefined) return isOpen(node) ? { unknown: true } : undefined;
    node = child;
  }
  return { schema: node };
}

function withMetadata(root: Schema): Schema {
  return { ...root, properties: { ...root.properties, apiVersion: text, kind: text, metadata } };
}

function childOf(node: Schema, next: Step): Schema | undefined {
  if ("items" in next) return node.items;
  if (node.properties !== undefined && Object.hasOwn(node.properties, next.field)) return node.properties[next.field];
  return typeof node.additionalProperties === "object" ? node.additionalProperties : undefined;
}

function isOpen(node: Schema): boolean {
  return node["x-kubernetes-preserve-unknown-fields"] === true || node.additionalProperties === true;
}
