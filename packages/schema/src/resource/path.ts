// JSON paths of a definition, followed through the schema they point into.

import type { Schema } from "../structural/schema.ts";

/** One step of a path. */
export type Step = { readonly field: string } | { readonly items: "each" | "one" };

/** The schema of the metadata that every object has, as far as paths may point into it. */
const text: Schema = { type: "string" };
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
 * The steps of a JSON path: `.spec.ports[0].name`, `.status.conditions[?(@.type=="Ready")].status`.
 *
 * `undefined` when it is none, or uses more of JSONPath than this: there is no recursive descent, slice or union.
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

/** Where a path leads. */
export type Found =
  /** To a node of the schema. */
  | { readonly schema: Schema }
  /** Into a part whose content the schema does not know. */
  | { readonly unknown: true }
  /** Nowhere: the schema has no such field. */
  | undefined;

/** Follows steps from the root schema of a kind. */
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
