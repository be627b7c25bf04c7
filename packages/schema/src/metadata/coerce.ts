import { isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { invalid, type Problem } from "../problem/problem.ts";
import { additionalSchema, type SchemaNode } from "../structural/node.ts";
import { hasKey } from "../value/record.ts";
import { decodeObjectMeta } from "./decode.ts";
import { child } from "./embedded.ts";

/** Normalizes `metadata` of a resource and of its embedded resources. Does not modify the value. */
export type MetaCoercer = (value: unknown, notes?: MetaNotes) => unknown;

/** Output lists of a coercer. */
export interface MetaNotes {
  /** Paths of unknown fields that were dropped, sorted. */
  readonly dropped: string[];
  /** Fields that cannot be decoded. The API server reports only the first. */
  readonly malformed: Problem[];
}

/**
 * Compiles a schema into a function that drops unknown metadata fields and normalizes the known ones.
 *
 * Malformed metadata stays unchanged and is reported. The result copies the objects that change and shares the rest.
 */
export function compileMetaCoercer(node: SchemaNode, { isResource }: { isResource: boolean }): MetaCoercer {
  const coerce = compile(isResource ? { ...node, embeddedResource: true } : node);
  return (value, notes = { dropped: [], malformed: [] }) => {
    const found: string[] = [];
    const result = coerce === undefined ? value : coerce(value, "", { ...notes, dropped: found });
    notes.dropped.push(...found.sort());
    return result;
  };
}

type Coerce = (value: unknown, path: string, notes: MetaNotes) => unknown;

/** Compiles the coercer of a node. Returns undefined if neither the node nor any node below it is a resource. */
function compile(node: SchemaNode): Coerce | undefined {
  const item = node.items && compile(node.items);
  const others = additionalSchema(node);
  const other = others && compile(others);
  const properties = new Map<string, Coerce>();
  for (const [name, property] of node.properties) {
    const coerce = compile(property);
    if (coerce !== undefined) properties.set(name, coerce);
  }
  if (!node.embeddedResource && item === undefined && other === undefined && properties.size === 0) return undefined;

  return (value, path, notes) => {
    if (Array.isArray(value)) return item === undefined ? value : coerceList(value, path, notes, item);
    if (!isRecord(value)) return value;
    let result = node.embeddedResource ? coerceMeta(value, path, notes) : value;
    const apply = (key: string, coerce: Coerce, at: string): void => {
      const part = result[key];
      const coerced = coerce(part, at, notes);
      if (coerced === part) return;
      const copy = { ...result };
      safeSet(copy, key, coerced);
      result = copy;
    };
    for (const [name, coerce] of properties) if (hasKey(result, name)) apply(name, coerce, child(path, name));
    if (other !== undefined) {
      for (const key of Object.keys(result)) if (!node.properties.has(key)) apply(key, other, `${path}[${key}]`);
    }
    return result;
  };
}

function coerceList(value: readonly unknown[], path: string, notes: MetaNotes, item: Coerce): unknown {
  const elements = value.map((element, index) => item(element, `${path}[${index}]`, notes));
  return elements.every((element, index) => element === value[index]) ? value : elements;
}

function coerceMeta(value: JsonRecord, path: string, { dropped, malformed }: MetaNotes): JsonRecord {
  const problem = malformedType(value, path);
  if (problem !== undefined) malformed.push(problem);
  if (!hasKey(value, "metadata")) return value;
  const metadata = value["metadata"];
  const decoded = decodeObjectMeta(metadata);
  if ("problem" in decoded) {
    malformed.push(invalid(child(path, "metadata"), { value: metadata }, () => decoded.problem));
    return value;
  }
  dropped.push(...decoded.unknown.map((field) => child(path, `metadata.${field}`)));
  return decoded.meta === metadata ? value : { ...value, metadata: decoded.meta };
}

function malformedType(value: JsonRecord, path: string): Problem | undefined {
  for (const field of ["apiVersion", "kind"]) {
    const text = hasKey(value, field) ? value[field] : "";
    if (typeof text !== "string") return invalid(child(path, field), { value: text }, "must be a string");
  }
  return undefined;
}
