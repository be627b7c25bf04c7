import { isRecord, type JsonRecord, ParseError, safeSet } from "@homeostat/core";
import { FieldSet, type FieldSetEntry } from "./field-set.ts";
import { parseElement } from "./parse-element.ts";

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
  return readLevel(fields, "", 0).below;
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
 * Writes a set as the content of a `fieldsV1`, in the order the API server keeps for built-in kinds.
 *
 * Custom resources pass through a generic form there, after which the names are in plain order of their texts; what
 * writes JSON with sorted keys gives that order.
 */
export function writeFields(set: FieldSet): JsonRecord {
  const written: JsonRecord = {};
  for (const { element, isMember, below } of set.sortedEntries()) {
    const content: JsonRecord = below.isEmpty ? {} : isMember ? { ".": {}, ...writeFields(below) } : writeFields(below);
    safeSet(written, element.text, content);
  }
  return written;
}
