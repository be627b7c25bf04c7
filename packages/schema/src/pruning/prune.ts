import { isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { valueDepthMax } from "../compiled/limits.ts";
import type { SchemaNode } from "../structural/node.ts";

/** Drops unknown fields of a value, and notes the paths of dropped ones where it is given a list. */
export type Pruner = (value: unknown, dropped?: string[]) => unknown;

const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** How the pruner of one node works: the value, where it is, and where to note what was dropped. */
type Prune = (value: unknown, path: string, dropped: string[] | undefined) => unknown;

/**
 * Compiles a schema into a function that drops the fields it does not know.
 *
 * The value is not changed: what loses a field is copied, the rest is shared. `apiVersion`, `kind` and `metadata` of
 * resources stay as they are; `isResource` says whether the value itself is one. With a list, the paths of dropped fields are added to it, sorted.
 */
export function compilePruner(node: SchemaNode, { isResource }: { isResource: boolean }): Pruner {
  const prune = compile(isResource ? { ...node, embeddedResource: true } : node);
  return (value, dropped) => {
    if (dropped === undefined) return prune(value, "", undefined);
    const found: string[] = [];
    const result = prune(value, "", found);
    // Not as arguments of one call: a hostile object has more unknown fields than a call takes.
    for (const path of found.sort()) dropped.push(path);
    return result;
  };
}

function compile(node: SchemaNode): Prune {
  return compileNode(node, { keepsUnknown: node.preserveUnknownFields === true });
}

/** `keepsUnknown` is inherited by the elements of a list, but by nothing that has a schema of its own. */
function compileNode(node: SchemaNode, { keepsUnknown }: { keepsUnknown: boolean }): Prune {
  const properties = new Map([...node.properties].map(([name, property]) => [name, compile(property)]));
  // Undeclared properties are known when there is any word on them, though `true` says nothing about their content.
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
        ? compileKept(node.items)
        : compile(node.items);
  return (value, path, dropped) => {
    if (Array.isArray(value)) return item === keep ? value : pruneList(value, path, dropped, item);
    return isRecord(value) ? fields(value, path, dropped) : value;
  };
}

/** The elements of a list that keeps what is unknown keep it too. */
function compileKept(node: SchemaNode): Prune {
  return compileNode(node, { keepsUnknown: true });
}

function compileFields(
  node: SchemaNode,
  properties: ReadonlyMap<string, Prune>,
  other: Prune | undefined,
  keepsUnknown: boolean,
): (value: JsonRecord, path: string, dropped: string[] | undefined) => unknown {
  /** Returns the pruned value of a field; undefined when the field is dropped. */
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

/** Prunes what no schema speaks of: every field of every object, through lists. */
const pruneAll: Prune = (value, path, dropped) => emptied(value, path, dropped, 0);

function emptied(value: unknown, path: string, dropped: string[] | undefined, depth: number): unknown {
  if (depth > valueDepthMax) return null;
  if (Array.isArray(value))
    return pruneList(value, path, dropped, (part, at, into) => emptied(part, at, into, depth + 1));
  if (!isRecord(value)) return value;
  const keys = Object.keys(value);
  for (const key of keys) dropped?.push(join(path, key));
  return keys.length === 0 ? value : {};
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
