import { isList, isRecord } from "@homeostat/core";
import { FieldSet, FieldSetBuilder } from "./field-set.ts";
import { formOf, namesOf } from "./form.ts";
import { itemElement, unknownItem } from "./list-item.ts";
import { fieldElement, type Path, type PathElement } from "./path-element.ts";
import type { MergeList, MergeMap, MergeType } from "./merge-type.ts";

/** The fields that somebody who writes this value owns: leaves, list items, members of maps, and what is empty or null. */
export function ownFields(type: MergeType, value: unknown): FieldSet {
  const set = new FieldSetBuilder();
  gather(set, type, value, []);
  return set.build();
}

function gather(set: FieldSetBuilder, type: MergeType, value: unknown, path: Path): void {
  const form = formOf(type, value);
  if (form.as === "scalar") set.insert(path);
  else if (form.as === "list") gatherList(set, form.list, value, path);
  else gatherMap(set, form.map, value, path);
}

function gatherMap(set: FieldSetBuilder, type: MergeMap, value: unknown, path: Path): void {
  if (type.isAtomic) set.insert(path);
  if (type.isAtomic || !isRecord(value)) return;
  for (const name of namesOf(value)) {
    const inner = [...path, fieldElement(name)];
    const content = value[name];
    const field = type.field(name);
    if (field !== undefined) gather(set, field, content, inner);
    const isEmpty = content === null || (isRecord(content) && namesOf(content).length === 0);
    // A struct stands for its fields; the member of a map is something in its own right.
    if (isEmpty || !type.isDeclared(name)) set.insert(inner);
  }
}

function gatherList(set: FieldSetBuilder, type: MergeList, value: unknown, path: Path): void {
  if (!type.isAssociative) set.insert(path);
  if (!type.isAssociative || !isList(value)) return;
  const items = new Map<string, { element: PathElement; found: unknown[] }>();
  for (const item of value) {
    const { element = unknownItem } = itemElement(type, item);
    const known = items.get(element.text);
    if (known === undefined) items.set(element.text, { element, found: [item] });
    else known.found.push(item);
  }
  for (const { element, found } of items.values()) {
    const inner = [...path, element];
    // Items that repeat have no fields of their own: which one would it be?
    if (found.length === 1) gather(set, type.element(), found[0], inner);
    set.insert(inner);
  }
}

/**
 * The set with every declared field that has members below it as a member too.
 *
 * A struct is owned through its fields alone; when fields are taken out of an object it must count like them, or an empty
 * one would stay behind.
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
