import { isRecord, type JsonRecord, ParseError, safeSet } from "@homeostat/core";
import { FieldSet, type FieldSetEntry } from "./field-set.ts";
import { parseElement } from "./parse-element.ts";
import { Recent } from "../storage/recent.ts";

/** Far deeper than any object; the limit protects the recursive functions on sets. */
const depthMax = 1_000;

/**
 * Parses the content of a `fieldsV1`.
 *
 * Elements of unknown kinds are skipped, because they belong to a later version of the format.
 *
 * @throws ParseError when an element is malformed, a value is not an object, or the nesting is deeper than 1,000.
 *
 * @example
 * readFields({ "f:spec": { "f:replicas": {} } }).paths(); // one path, .spec.replicas
 */
export function readFields(fields: unknown): FieldSet {
  // Frozen records come from writeFields and are often read again unchanged.
  if (!isRecord(fields) || !Object.isFrozen(fields)) return readByText(fields);
  let set = readOf.get(fields);
  if (set === undefined) {
    set = readByText(fields);
    readOf.set(fields, set);
  }
  return set;
}

function readByText(fields: unknown): FieldSet {
  const text = textOf(fields);
  const cached = text === undefined ? undefined : read.get(text);
  if (cached !== undefined) return cached;
  const set = readLevel(fields, "", 0).below;
  if (text !== undefined) read.keep(text, set);
  return set;
}

/** Recently parsed sets by their JSON text. Most objects of a kind have the same fields and so share one set. */
const read = new Recent<FieldSet>({ countMax: 512, lengthMax: 512 * 1024 });
const readOf = new WeakMap<JsonRecord, FieldSet>();
const written = new WeakMap<FieldSet, JsonRecord>();

/**
 * Serializes parsed JSON as the cache key. Returns undefined if JSON.stringify cannot: for a bigint or too deep
 * nesting.
 */
function textOf(fields: unknown): string | undefined {
  try {
    return JSON.stringify(fields);
  } catch {
    return undefined;
  }
}

function readLevel(fields: unknown, at: string, depth: number): { isMember: boolean; below: FieldSet } {
  if (fields === null || fields === undefined) return { isMember: true, below: FieldSet.empty };
  if (!isRecord(fields)) throw invalidFields(at, "is not an object");
  if (depth > depthMax) throw invalidFields(at, `is nested more than ${depthMax} deep`);
  let isMember = false;
  const entries: FieldSetEntry[] = [];
  for (const key of Object.keys(fields)) {
    if (key === ".") {
      isMember = true;
      continue;
    }
    const element = parseElement(key);
    if (element !== undefined) entries.push({ element, ...readLevel(fields[key], key, depth + 1) });
  }
  const below = FieldSet.from(entries);
  return { isMember: isMember || below.isEmpty, below };
}

function invalidFields(input: string, problem: string): ParseError {
  return new ParseError({ what: "a field set (fieldsV1)", input, offset: 0, problem });
}

/**
 * Serializes a set as the content of a `fieldsV1`, in the order the API server uses for built-in kinds. The result is
 * frozen and shared by all callers with the same set.
 *
 * For custom resources the API server orders the elements by their plain text instead, because they pass through an
 * unstructured form. Serializers of custom resources sort all keys and so produce that order.
 */
export function writeFields(set: FieldSet): JsonRecord {
  const cached = written.get(set);
  if (cached !== undefined) return cached;
  const fields = writeLevel(set);
  written.set(set, fields);
  return fields;
}

const none: JsonRecord = Object.freeze({});

function writeLevel(set: FieldSet): JsonRecord {
  const level: JsonRecord = {};
  for (const { element, isMember, below } of set.sortedEntries()) {
    const content = below.isEmpty
      ? none
      : isMember
        ? Object.freeze({ ".": none, ...writeLevel(below) })
        : writeLevel(below);
    safeSet(level, element.text, content);
  }
  return Object.freeze(level);
}
