import { isRecord, safeSet } from "@homeostat/core";
import { additionalSchema, type SchemaNode } from "../structural/node.ts";

/** Drops fields. The value is not changed: what loses a field is copied, the rest is shared. */
export type NullDropper = (value: unknown) => unknown;

const keep: NullDropper = (value) => value;

/**
 * Compiles a schema into a function that drops fields which are `null` but neither may be nor have a default.
 *
 * A Go program reads `null` into a field as its absence; this does the same. Nulls with a default are left for
 * defaulting, nulls in lists stay.
 */
export function compileNullDropper(node: SchemaNode): NullDropper {
  const properties = new Map([...node.properties].map(([name, property]) => [name, compileField(property)]));
  const others = additionalSchema(node);
  const other = others && compileField(others);
  const item = node.items === undefined ? keep : compileNullDropper(node.items);
  if (properties.size === 0 && other === undefined && item === keep) return keep;
  return (value) => {
    if (Array.isArray(value)) return item === keep ? value : dropInList(value, item);
    if (!isRecord(value)) return value;
    let copy: { [key: string]: unknown } | undefined;
    for (const key of Object.keys(value)) {
      const part = value[key];
      // Only null and what can hold a null is of interest.
      if (typeof part !== "object") continue;
      const field = properties.get(key) ?? other;
      if (field === undefined) continue;
      if (part === null) {
        if (!field.dropsNull) continue;
        copy ??= { ...value };
        delete copy[key];
        continue;
      }
      const inner = field.inner(part);
      if (inner === part) continue;
      copy ??= { ...value };
      safeSet(copy, key, inner);
    }
    return copy ?? value;
  };
}

function compileField(node: SchemaNode): { readonly dropsNull: boolean; readonly inner: NullDropper } {
  return { dropsNull: !node.nullable && node.default === undefined, inner: compileNullDropper(node) };
}

function dropInList(value: readonly unknown[], item: NullDropper): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < value.length; index++) {
    const element = value[index];
    const inner = item(element);
    if (inner === element) continue;
    copy ??= [...value];
    copy[index] = inner;
  }
  return copy ?? value;
}
