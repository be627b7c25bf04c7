import { isRecord, safeSet } from "@homeostat/core";
import { additionalSchema, type SchemaNode } from "../structural/node.ts";

/** Drops null fields. Does not modify the value: the result copies the objects that lose a field and shares the rest. */
export type NullDropper = (value: unknown) => unknown;

const keep: NullDropper = (value) => value;

/**
 * Compiles a schema into a function that drops fields that are `null`, not nullable and have no default.
 *
 * Go decodes `null` into a field as a missing value; this does the same. Nulls of fields with a default are left to defaulting,
 * nulls in lists stay.
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
      // Skip scalars: only null itself, objects and lists matter here.
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
