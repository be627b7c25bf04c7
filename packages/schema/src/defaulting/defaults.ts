import { isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { additionalSchema, type SchemaNode } from "../structural/node.ts";
import type { Json } from "../value/json.ts";
import { hasKey } from "../value/record.ts";

/** Applies defaults to a value. Does not modify the value: the result copies the parts that get a default and shares the rest. */
export type Defaulter = (value: unknown) => unknown;

const keep: Defaulter = (value) => value;

/**
 * Compiles a schema into a function that applies defaults.
 *
 * A field gets its default if it is missing, or if it is `null` and not nullable. Defaults are applied inside the default too. A
 * `null` in a list or map is replaced by the default of the element, or stays if the element has none.
 */
export function compileDefaulter(node: SchemaNode): Defaulter {
  const items = node.items && compileElement(node.items);
  const others = additionalSchema(node);
  const other = others && compileElement(others);
  const properties = [...node.properties].map(([name, property]) => compileProperty(name, property));
  const known = new Set(node.properties.keys());
  const active = properties.filter((property) => property.fill !== undefined || property.inner !== keep);
  if (active.length === 0 && items === keep && other === keep) return keep;
  if (active.length === 0 && items === undefined && other === undefined) return keep;

  return (value) => {
    if (Array.isArray(value)) return items === undefined || items === keep ? value : defaultList(value, items);
    if (!isRecord(value)) return value;
    const filled = active.length === 0 ? value : defaultProperties(value, active);
    return other === undefined || other === keep ? filled : defaultOthers(filled, known, other);
  };
}

interface Property {
  readonly name: string;
  readonly nullable: boolean;
  /** Returns a new copy of the default, with nested defaults applied. Undefined if the property has no default. */
  readonly fill: (() => unknown) | undefined;
  readonly inner: Defaulter;
}

function compileProperty(name: string, node: SchemaNode): Property {
  const inner = compileDefaulter(node);
  const value = node.default;
  const fill = value === undefined ? undefined : (): unknown => inner(copyJson(value));
  return { name, nullable: node.nullable, fill, inner };
}

/** Compiles the defaulter of a list or map element. It replaces `null` by the default unless the element is nullable. */
function compileElement(node: SchemaNode): Defaulter {
  const inner = compileDefaulter(node);
  const value = node.default;
  if (node.nullable || value === undefined) return inner;
  return (element) => inner(element === null ? copyJson(value) : element);
}

function defaultProperties(value: JsonRecord, properties: readonly Property[]): JsonRecord {
  let copy: { [key: string]: unknown } | undefined;
  for (const { name, nullable, fill, inner } of properties) {
    const present = hasKey(value, name);
    if (fill !== undefined && (!present || (value[name] === null && !nullable))) {
      copy ??= { ...value };
      safeSet(copy, name, fill());
    } else if (present && inner !== keep) {
      const filled = inner(value[name]);
      if (filled === value[name]) continue;
      copy ??= { ...value };
      safeSet(copy, name, filled);
    }
  }
  return copy ?? value;
}

function defaultOthers(value: JsonRecord, known: ReadonlySet<string>, other: Defaulter): JsonRecord {
  let copy: { [key: string]: unknown } | undefined;
  for (const key of Object.keys(value)) {
    if (known.has(key)) continue;
    const filled = other(value[key]);
    if (filled === value[key]) continue;
    copy ??= { ...value };
    safeSet(copy, key, filled);
  }
  return copy ?? value;
}

function defaultList(value: readonly unknown[], items: Defaulter): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < value.length; index++) {
    const element = value[index];
    const filled = items(element);
    if (filled === element) continue;
    copy ??= [...value];
    copy[index] = filled;
  }
  return copy ?? value;
}

/** Returns a deep copy. The recursion is bounded: `readSchema` limits the depth of defaults. */
function copyJson(value: Json): unknown {
  if (Array.isArray(value)) return value.map(copyJson);
  if (typeof value !== "object" || value === null) return value;
  const copy: { [key: string]: unknown } = {};
  for (const [key, part] of Object.entries(value)) safeSet(copy, key, copyJson(part));
  return copy;
}
