import { ArgumentError, isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";

/**
 * The path of a field: `"spec.replicas"`, or its parts if a key contains a dot. A path through a list applies to each
 * element.
 */
export type FieldPath = string | readonly string[];

/** The fields to keep, as a tree. A leaf is kept as a whole. */
type Tree = Map<string, Tree>;

/** Fields that the runtime itself needs and that are therefore always kept. */
const alwaysKept: readonly string[] = [
  "apiVersion",
  "kind",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "metadata.resourceVersion",
  "metadata.generation",
  "metadata.creationTimestamp",
  "metadata.deletionTimestamp",
  "metadata.deletionGracePeriodSeconds",
  "metadata.labels",
  "metadata.ownerReferences",
  "metadata.finalizers",
];

/**
 * Returns a function that keeps only the given fields of an object, plus identity, timestamps, labels, owners and
 * finalizers.
 *
 * @example
 * projection(["spec.replicas", "status.conditions.type"])(deployment);
 */
export function projection(paths: readonly FieldPath[]): <T>(object: T) => T {
  const tree: Tree = new Map();
  for (const path of [...alwaysKept, ...paths]) {
    const parts = typeof path === "string" ? path.split(".") : path;
    if (parts.length === 0 || parts.includes("")) {
      const problem = `contains ${JSON.stringify(path)}, which is not a field path; write spec.replicas or ["spec", "replicas"].`;
      throw new ArgumentError({ argument: "project", problem });
    }
    add(tree, parts);
  }
  return (object) => pick(object, tree);
}

/** Adds a path to the tree. A path within a field that is already kept as a whole adds nothing. */
function add(tree: Tree, parts: readonly string[]): void {
  let at = tree;
  for (const [i, part] of parts.entries()) {
    const child = at.get(part);
    if (child?.size === 0) return;
    if (i === parts.length - 1) at.set(part, new Map());
    else {
      const next = child ?? new Map();
      at.set(part, next);
      at = next;
    }
  }
}

/** Returns the selected parts of a value. The type stays that of the whole value; callers expose it as partial. */
function pick<T>(value: T, tree: Tree): T;
function pick(value: unknown, tree: Tree): unknown {
  if (tree.size === 0) return value;
  if (isList(value)) return value.map((element) => pick(element, tree));
  if (!isRecord(value)) return value;
  const kept: JsonRecord = {};
  for (const [key, child] of tree) {
    const field = ownValue(value, key);
    if (field !== undefined) safeSet(kept, key, pick(field, child));
  }
  return kept;
}
