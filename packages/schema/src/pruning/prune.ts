import { isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { valueDepthMax } from "../value/json.ts";
import type { SchemaNode } from "../structural/node.ts";

/** Drops unknown fields of a value. Appends the paths of dropped fields to `dropped`, if given. */
export type Pruner = (value: unknown, dropped?: string[]) => unknown;

const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** The pruner of one node. `path` is the path of the value; paths of dropped fields are appended to `dropped`. */
type Prune = (value: unknown, path: string, dropped: string[] | undefined) => unknown;

/**
 * Compiles a schema into a function that drops unknown fields (pruning).
 *
 * The function does not modify the value: the result copies the objects that lose a field and shares the rest. `apiVersion`, `kind`
 * and `metadata` of resources are kept; `isResource` tells that the value itself is a resource. Paths of dropped fields are
 * sorted.
 */
export function compilePruner(node: SchemaNode, { isResource }: { isResource: boolean }): Pruner {
  const prune = compile(isResource ? { ...node, embeddedResource: true } : node);
  return (value, dropped) => {
    if (dropped === undefined) return prune(value, "", undefined);
    const found: string[] = [];
    const result = prune(value, "", found);
    // Not `push(...found)`: an object of an attacker can have more unknown fields than a call can have arguments.
    for (const path of found.sort()) dropped.push(path);
    return result;
  };
}

function compile(node: SchemaNode): Prune {
  return compileNode(node, { keepsUnknown: node.preserveUnknownFields === true });
}

/** Compiles the pruner of a node. List items inherit `keepsUnknown` from the list; properties do not inherit it. */
function compileNode(node: SchemaNode, { keepsUnknown }: { keepsUnknown: boolean }): Prune {
  const properties = new Map([...node.properties].map(([name, property]) => [name, compile(property)]));
  // Any additionalProperties makes undeclared properties known. `true` keeps the property but describes no fields inside it.
  const { additionalProperties } = node;
  const other =
    typeof additionalProperties === "object"
      ? compile(additionalProperties)
      : additionalProperties === undefined
        ? undefined
        : pruneAll;
  const fields = compileFields(node, properties, other, keepsUnknown);
  const item =
    node.items === undefined
      ? keepsUnknown
        ? keep
        : pruneAll
      : keepsUnknown
        ? compilePreserving(node.items)
        : compile(node.items);
  return (value, path, dropped) => {
    if (Array.isArray(value)) return item === keep ? value : pruneList(value, path, dropped, item);
    return isRecord(value) ? fields(value, path, dropped) : value;
  };
}

/** Compiles the pruner of the items of a list that preserves unknown fields. */
function compilePreserving(node: SchemaNode): Prune {
  return compileNode(node, { keepsUnknown: true });
}

function compileFields(
  node: SchemaNode,
  properties: ReadonlyMap<string, Prune>,
  other: Prune | undefined,
  keepsUnknown: boolean,
): (value: JsonRecord, path: string, dropped: string[] | undefined) => unknown {
  /** Returns the pruned value of a field; undefined if the field is dropped. */
  const pruneField = (key: string, part: unknown, path: string, dropped: string[] | undefined): unknown => {
    if (node.embeddedResource && metaFields.has(key)) return part;
    const prune = properties.get(key) ?? other;
    if (prune === undefined && keepsUnknown) return part;
    if (prune === undefined) {
      // apiVersion, kind and metadata may be present at the root without a schema, so they are not reported there.
      if (part !== undefined && (path !== "" || !metaFields.has(key))) dropped?.push(join(path, key));
      return undefined;
    }
    return typeof part === "object" ? prune(part, dropped === undefined ? "" : join(path, key), dropped) : part;
  };
  return (value, path, dropped) => {
    const keys = Object.keys(value);
    let copy: { [key: string]: unknown } | undefined;
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index] ?? "";
      const part = value[key];
      const kept = pruneField(key, part, path, dropped);
      if (copy === undefined && kept === part && part !== undefined) continue;
      // The copy gets the kept fields one by one. Copying all and deleting some takes ten times as long with thousands of fields.
      copy ??= firstFields(value, keys, index);
      if (kept !== undefined) safeSet(copy, key, kept);
    }
    return copy ?? value;
  };
}

/** Returns a copy of the first fields of a record. */
function firstFields(value: JsonRecord, keys: readonly string[], count: number): { [key: string]: unknown } {
  const copy: { [key: string]: unknown } = {};
  for (let index = 0; index < count; index += 1) {
    const key = keys[index] ?? "";
    safeSet(copy, key, value[key]);
  }
  return copy;
}

function pruneList(value: readonly unknown[], path: string, dropped: string[] | undefined, item: Prune): unknown {
  let copy: unknown[] | undefined;
  for (let index = 0; index < value.length; index++) {
    const element = value[index];
    const pruned = item(element, dropped === undefined ? "" : `${path}[${index}]`, dropped);
    if (pruned === element) continue;
    copy ??= [...value];
    copy[index] = pruned;
  }
  return copy ?? value;
}

const keep: Prune = (value) => value;

/** Prunes a value that no schema describes: drops all fields of all objects, also of those in lists. */
const pruneAll: Prune = (value, path, dropped) => dropAllFields(value, path, dropped, 0);

function dropAllFields(value: unknown, path: string, dropped: string[] | undefined, depth: number): unknown {
  if (depth > valueDepthMax) return null;
  if (Array.isArray(value))
    return pruneList(value, path, dropped, (part, at, into) => dropAllFields(part, at, into, depth + 1));
  if (!isRecord(value)) return value;
  const keys = Object.keys(value);
  for (const key of keys) dropped?.push(join(path, key));
  return keys.length === 0 ? value : {};
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
