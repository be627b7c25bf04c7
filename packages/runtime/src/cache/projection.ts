import { ArgumentError, isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";

/** The place of a field: `"spec.replicas"`, or its parts where a key has a dot in it. Lists are passed through. */
export type FieldPath = string | readonly string[];

/** The fields to keep, as a tree. A leaf is kept whole. */
type Tree = Map<string, Tree>;

/** What every part of a runtime relies on, and what is therefore always kept. */
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
 * Makes the function that keeps only the given fields of an object, and those that tell which object it is and whose.
 *
 * @example
 * projection(["spec.replicas", "status.conditions.type"])(deployment);
 */
export function projection(paths: readonly FieldPath[]): <T>(object: T) => T {
  const tree: Tree = new Map();
  for (const path of [...alwaysKept, ...paths]) {
    const parts = typeof path === "string" ? path.split(".") : path;
    if (parts.length === 0 || parts.includes("")) {
      const problem = `has ${JSON.stringify(path)}, which names no field; write spec.replicas or ["spec", "replicas"].`;
      throw new ArgumentError({ argument: "project", problem });
    }
    add(tree, parts);
  }
  return (object) => pick(object, tree);
}

/** Once a field is kept whole, what is said about its parts adds nothing. */
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

/** The type says what the object is made of; that some of it is missing now is for the caller to know. */
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
