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
    dropped.push(...found.sort());
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
  return (value, path, dropped) => {
    let copy: { [key: string]: unknown } | undefined;
    for (const key of Object.keys(value)) {
      const part = value[key];
      if (node.embeddedResource && metaFields.has(key)) continue;
      const prune = properties.get(key) ?? other;
      if (prune === undefined && keepsUnknown && part !== undefined) continue;
      if (prune === undefined || part === undefined) {
        copy ??= { ...value };
        delete copy[key];
        // The root may carry them unasked, so they are never strangers there.
        if (part !== undefined && (path !== "" || !metaFields.has(key))) dropped?.push(join(path, key));
        continue;
      }
      const pruned =
        typeof part === "object" ? prune(part, dropped === undefined ? "" : join(path, key), dropped) : part;
      if (pruned === part) continue;
      copy ??= { ...value };
      safeSet(copy, key, pruned);
    }
    return copy ?? value;
  };
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
