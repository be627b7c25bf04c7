import { isList, isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import type { FieldSet } from "./field-set.ts";
import { formOf, namesOf } from "./form.ts";
import { itemElement, unknownItem } from "./list-item.ts";
import { fieldElement } from "./path-element.ts";
import type { MergeList, MergeMap, MergeType } from "./merge-type.ts";

/**
 * Returns a value without the given fields.
 *
 * Maps and lists that have nothing left become null. So do atomic or empty values on the way to a field. They stay in their parent as an
 * explicit null, as in structured-merge-diff: the parent itself was not removed.
 */
export function removeFields(type: MergeType, value: unknown, fields: FieldSet): unknown {
  const form = formOf(type, value);
  if (form.as === "scalar") return value;
  return form.as === "list" ? fromList(form.list, value, fields) : fromMap(form.map, value, fields);
}

function fromMap(type: MergeMap, value: unknown, fields: FieldSet): unknown {
  if (!isRecord(value) || type.isAtomic) return null;
  const left: JsonRecord = {};
  const names = namesOf(value);
  let count = 0;
  for (const name of names) {
    const entry = fields.entry(fieldElement(name));
    if (entry?.isMember === true) continue;
    const field = type.field(name);
    const isTouched = entry !== undefined && field !== undefined;
    safeSet(left, name, isTouched ? removeFields(field, value[name], entry.below) : value[name]);
    count += 1;
  }
  return count === 0 ? null : left;
}

function fromList(type: MergeList, value: unknown, fields: FieldSet): unknown {
  if (!isList(value) || !type.isAssociative) return null;
  const left: unknown[] = [];
  for (const item of value) {
    const { element = unknownItem } = itemElement(type, item);
    const entry = fields.entry(element);
    if (entry?.isMember === true) continue;
    left.push(entry === undefined ? item : removeFields(type.element(), item, entry.below));
  }
  return left.length === 0 ? null : left;
}
