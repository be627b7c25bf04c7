// Values that one version (the "short" version) cannot represent, stored as a list of changes to the other (the "full" version).
//
// A change says: at path `at`, converting the short object back yields `was`, but the full object had `is`. When the object is
// converted back, a change is applied only if the path still has the value `was`. Any other value means that a client changed
// the field in the short version, and that change wins.

import { deepClone, isEqual, isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import type { Schema } from "../structural/schema.ts";

/** Below this depth values are compared as a whole. Only values without a schema are nested that deep. */
const depthMax = 64;

/** One step of a path: a field, or the item of a keyed list that has these keys. */
export type Step = string | JsonRecord;

/** One difference. `was` or `is` is absent if the field is missing on that side. */
export interface Change {
  readonly at: readonly Step[];
  readonly was?: unknown;
  readonly is?: unknown;
}

/** Input of {@link findChanges}. */
interface Sides {
  /** The object converted to the short version and back, with defaults. */
  readonly base: unknown;
  /** The same without defaults. `was` is taken from here, because changes are applied before defaults. */
  readonly raw: unknown;
  /** The full object, with defaults. */
  readonly full: unknown;
}

/**
 * Returns the changes that lead from `base` to `full`. Descends into objects, maps and keyed lists; atomic values and other lists
 * are compared as a whole.
 */
export function findChanges(schema: Schema | undefined, sides: Sides): Change[] {
  const changes: Change[] = [];
  collect(schema, sides, [], changes);
  return changes;
}

function collect(schema: Schema | undefined, sides: Sides, at: readonly Step[], changes: Change[]): void {
  const { base, raw, full } = sides;
  if (isEqual(base, full)) return;
  const isWhole = at.length >= depthMax || schema?.["x-kubernetes-map-type"] === "atomic";
  if (isRecord(base) && isRecord(full) && !isWhole) {
    for (const key of new Set([...Object.keys(base), ...Object.keys(full)])) {
      const children = { base: ownValue(base, key), raw: valueIn(raw, key), full: ownValue(full, key) };
      collect(childSchema(schema, key), children, [...at, key], changes);
    }
    return;
  }
  const keys = keysOf(schema);
  if (keys !== undefined && isList(base) && isList(full) && haveSameKeys(base, full, keys)) {
    full.forEach((item, index) => {
      const step = pickKeys(item, keys);
      const rawItem = isList(raw) ? raw[index] : undefined;
      collect(schema?.items, { base: base[index], raw: rawItem, full: item }, [...at, step], changes);
    });
    return;
  }
  if (raw === undefined && full === undefined) return;
  changes.push({ at, ...(raw !== undefined && { was: raw }), ...(full !== undefined && { is: full }) });
}

/** The result of {@link applyChanges}. */
export interface Applied {
  readonly value: JsonRecord;
  /** Paths of changes that were not applied, because the value at the path is not `was` any more. */
  readonly dropped: readonly string[];
}

/** Applies changes to a copy of an object that was converted from the short version, before defaulting. */
export function applyChanges(schema: Schema, value: JsonRecord, changes: readonly Change[]): Applied {
  const result = deepClone(value);
  const created: Created[] = [];
  const dropped = changes.filter((change) => !applyChange(schema, result, change, created));
  // Remove objects that were created only to apply a change and lack required fields: they would be invalid.
  const undone = created.reverse().filter(({ parent, key, schema: node }) => {
    const object = ownValue(parent, key);
    const isComplete = isRecord(object) && (node.required ?? []).every((name) => Object.hasOwn(object, name));
    if (!isComplete) delete parent[key];
    return !isComplete;
  });
  return {
    value: result,
    dropped: [...dropped.map(({ at }) => formatPath(at)), ...undone.map(({ at }) => formatPath(at))],
  };
}

interface Created {
  readonly parent: JsonRecord;
  readonly key: string;
  readonly schema: Schema;
  readonly at: readonly Step[];
}

function applyChange(root: Schema, value: JsonRecord, { at, was, is }: Change, created: Created[]): boolean {
  let node: unknown = value;
  let schema: Schema | undefined = root;
  const made: Created[] = [];
  for (const [index, step] of at.slice(0, -1).entries()) {
    const parent: unknown = node;
    node = stepInto(parent, step);
    const declared: Schema | undefined = typeof step === "string" ? ownSchema(schema, step) : undefined;
    schema = typeof step === "string" ? childSchema(schema, step) : schema?.items;
    if (node !== undefined) continue;
    // A missing field that the schema declares may be created. A missing map key or list item was removed by a client and must
    // stay removed.
    const canCreate = typeof step === "string" && isRecord(parent) && declared?.type === "object";
    if (!canCreate || was !== undefined || is === undefined) return false;
    node = {};
    safeSet(parent, step, node);
    made.push({ parent, key: step, schema: declared, at: at.slice(0, index + 1) });
  }
  const last = at.at(-1);
  created.push(...made);
  if (typeof last !== "string" || !isRecord(node) || !isEqual(ownValue(node, last), was)) return false;
  if (is === undefined) delete node[last];
  else safeSet(node, last, deepClone(is));
  return true;
}

function stepInto(node: unknown, step: Step): unknown {
  if (typeof step === "string") return valueIn(node, step);
  if (!isList(node)) return undefined;
  return node.find(
    (item) => isRecord(item) && Object.entries(step).every(([key, value]) => isEqual(ownValue(item, key), value)),
  );
}

function valueIn(node: unknown, key: string): unknown {
  return isRecord(node) ? ownValue(node, key) : undefined;
}

function ownSchema(schema: Schema | undefined, key: string): Schema | undefined {
  const properties = schema?.properties;
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

function childSchema(schema: Schema | undefined, key: string): Schema | undefined {
  const values = schema?.additionalProperties;
  return ownSchema(schema, key) ?? (typeof values === "object" ? values : undefined);
}

function keysOf(schema: Schema | undefined): readonly string[] | undefined {
  return schema?.["x-kubernetes-list-type"] === "map" ? schema["x-kubernetes-list-map-keys"] : undefined;
}

function haveSameKeys(a: readonly unknown[], b: readonly unknown[], keys: readonly string[]): boolean {
  return (
    a.length === b.length &&
    a.every((item, index) => {
      const other = b[index];
      return isRecord(item) && isRecord(other) && isEqual(pickKeys(item, keys), pickKeys(other, keys));
    })
  );
}

function pickKeys(item: unknown, keys: readonly string[]): JsonRecord {
  return Object.fromEntries(keys.map((key) => [key, valueIn(item, key)]));
}

/** Formats a path for messages: `spec.env[name=A].value`. */
export function formatPath(at: readonly Step[]): string {
  return at
    .map((step, index) => {
      if (typeof step === "string") return index === 0 ? step : `.${step}`;
      return `[${Object.entries(step)
        .map(([key, value]) => `${key}=${String(value)}`)
        .join(",")}]`;
    })
    .join("");
}
