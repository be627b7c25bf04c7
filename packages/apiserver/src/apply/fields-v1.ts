import { isRecord, type JsonRecord, ParseError, safeSet } from "@homeostat/core";
import { FieldSet, type FieldSetEntry } from "./field-set.ts";
import { parseElement } from "./parse-element.ts";
import { Recent } from "../storage/recent.ts";

/** Objects are nested far less deep; a set that is belongs to no object. */
const depthMax = 1_000;

/**
 * Reads the content of a `fieldsV1`.
 *
 * Members with unknown kinds of names are left out, as they belong to a later version of the format.
 *
 * @throws ParseError when a name is malformed, something is not an object, or the nesting is deeper than 1,000.
 *
 * @example
 * readFields({ "f:spec": { "f:replicas": {} } }).paths(); // one path, .spec.replicas
 */
export function readFields(fields: unknown): FieldSet {
  // What was written here is often read again as it is.
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
  const known = text === undefined ? undefined : read.get(text);
  if (known !== undefined) return known;
  const set = readLevel(fields, "", 0).below;
  if (text !== undefined) read.keep(text, set);
  return set;
}

/** Most objects of a kind have the same fields: the sets of late are known by their texts, and shared. */
const read = new Recent<FieldSet>({ countMax: 512, lengthMax: 512 * 1024 });
const readOf = new WeakMap<JsonRecord, FieldSet>();
const written = new WeakMap<FieldSet, JsonRecord>();

/** The text of what was read from JSON. None for what the engine does not write: a big integer, or too deep for it. */
function textOf(fields: unknown): string | undefined {
  try {
    return JSON.stringify(fields);
  } catch {
    return undefined;
  }
}

function readLevel(fields: unknown, at: string, depth: number): { isMember: boolean; below: FieldSet } {
  if (fields === null || fields === undefined) return { isMember: true, below: FieldSet.empty };
  if (!isRecord(fields)) throw fault(at, "is not an object");
  if (depth > depthMax) throw fault(at, `is nested more than ${depthMax} deep`);
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

function fault(input: string, problem: string): ParseError {
  return new ParseError({ what: "a field set (fieldsV1)", input, offset: 0, problem });
}

/**
 * Writes a set as the content of a `fieldsV1`, in the order the API server keeps for built-in kinds. It is frozen: all who have
 * the same set are given the same.
 *
 * Custom resources pass through a generic form there, after which the names are in plain order of their texts; what
 * writes JSON with sorted keys gives that order.
 */
export function writeFields(set: FieldSet): JsonRecord {
  const known = written.get(set);
  if (known !== undefined) return known;
  const made = writeLevel(set);
  written.set(set, made);
  return made;
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
