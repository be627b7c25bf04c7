import { isList, isRecord } from "@homeostat/core";
import { FieldSet, FieldSetBuilder } from "./field-set.ts";
import { formOf, namesOf } from "./form.ts";
import { itemElement, unknownItem } from "./list-item.ts";
import { fieldElement, type Path, type PathElement } from "./path-element.ts";
import type { MergeList, MergeMap, MergeType } from "./merge-type.ts";

/**
 * Returns the fields owned by a manager that applies this value: leaves, list items, members of maps, and everything
 * empty or null. Corresponds to `TypedValue.ToFieldSet` of structured-merge-diff.
 */
export function ownFields(type: MergeType, value: unknown): FieldSet {
  const set = new FieldSetBuilder();
  collect(set, type, value, []);
  return set.build();
}

function collect(set: FieldSetBuilder, type: MergeType, value: unknown, path: Path): void {
  const form = formOf(type, value);
  if (form.as === "scalar") set.insert(path);
  else if (form.as === "list") collectList(set, form.list, value, path);
  else collectMap(set, form.map, value, path);
}

function collectMap(set: FieldSetBuilder, type: MergeMap, value: unknown, path: Path): void {
  if (type.isAtomic) set.insert(path);
  if (type.isAtomic || !isRecord(value)) return;
  for (const name of namesOf(value)) {
    const inner = [...path, fieldElement(name)];
    const content = value[name];
    const field = type.field(name);
    if (field !== undefined) collect(set, field, content, inner);
    const isEmpty = content === null || (isRecord(content) && namesOf(content).length === 0);
    // A struct is owned through its fields alone; a member of a map is also owned itself, because its key is data.
    if (isEmpty || !type.isDeclared(name)) set.insert(inner);
  }
}

function collectList(set: FieldSetBuilder, type: MergeList, value: unknown, path: Path): void {
  if (!type.isAssociative) set.insert(path);
  if (!type.isAssociative || !isList(value)) return;
  const items = new Map<string, { element: PathElement; found: unknown[] }>();
  for (const item of value) {
    const { element = unknownItem } = itemElement(type, item);
    const existing = items.get(element.text);
    if (existing === undefined) items.set(element.text, { element, found: [item] });
    else existing.found.push(item);
  }
  for (const { element, found } of items.values()) {
    const inner = [...path, element];
    // Repeated items own no fields, since a path could not say which of the items is meant.
    if (found.length === 1) collect(set, type.element(), found[0], inner);
    set.insert(inner);
  }
}

/**
 * Adds to the set every declared field that has members below it.
 *
 * A struct is owned only through its fields. When fields are removed from an object, the struct must be removed with
 * them, or an empty struct would be left behind.
 */
export function withStructs(set: FieldSet, type: MergeType | undefined): FieldSet {
  if (set.isEmpty) return set;
  const entries = [...set.entries()].map(({ element, isMember, below }) => {
    const isStruct = element.kind === "field" && !below.isEmpty && type?.map?.isDeclared(element.name) === true;
    return { element, isMember: isMember || isStruct, below: withStructs(below, typeBelow(type, element)) };
  });
  return FieldSet.from(entries);
}

function typeBelow(type: MergeType | undefined, element: PathElement): MergeType | undefined {
  if (element.kind === "field") return type?.map?.field(element.name);
  return element.kind === "key" ? type?.list?.element() : undefined;
}
