// Merging of lists in a strategic merge patch: primitive values as sets, objects by the merge key of their type.

import { isList, isRecord, type JsonRecord, ownValue } from "../value/record.ts";
import { badDirective, withoutDirectives } from "./strategic-directives.ts";
import { StrategicPatchError, unknownFailure } from "./strategic-error.ts";
import { goTypeName, noMergeKey, orderElements, partition, wrongType } from "./strategic-order.ts";
import type { StrategicField, StrategicType } from "./strategic-type.ts";

/** Merges a patch into an object of a type. Passed as an argument, because objects and lists contain each other. */
export type MergeMaps = (original: JsonRecord, patch: JsonRecord, type: StrategicType) => JsonRecord;

interface ListMerge {
  readonly metadata: StrategicField;
  /** True if the patch lists elements to delete (`$deleteFromPrimitiveList`). */
  readonly isDeletion: boolean;
  readonly mergeMaps: MergeMaps;
}

/** Merges a list of a patch into a list of an object. */
export function mergeLists(
  original: unknown[],
  patch: unknown[],
  { metadata, isDeletion, mergeMaps }: ListMerge,
): unknown[] {
  if (original.length === 0 && patch.length === 0) return original;
  const { type, mergeKey } = metadata;
  const hasMaps = elementType(original, patch) === "map[string]interface {}";
  if (!hasMaps) {
    if (isDeletion) {
      const deleted = new Set(patch);
      return original.filter((each) => !deleted.has(each));
    }
    const merged = [...new Set([...original, ...patch])];
    const orders = { patchOrder: patch, serverOrder: original, mergeKey, hasMaps };
    return orderElements(partition(merged, patch, mergeKey), orders);
  }
  if (mergeKey === "") throw unknownFailure(`cannot merge lists without merge key for ${type.goKind}`);
  const plain = applySpecialElements(original.filter(isRecord), patch.filter(isRecord), mergeKey);
  const mergeElement: MergeMaps = (element, change, elementType) => {
    try {
      return mergeMaps(element, { ...change }, elementType);
    } catch (error) {
      throw error instanceof StrategicPatchError ? error.within(patch.indexOf(change)) : error;
    }
  };
  const merged = mergeElements(plain.original, plain.patch, { type, mergeKey, mergeMaps: mergeElement });
  const orders = { patchOrder: plain.patch, serverOrder: merged.original, mergeKey, hasMaps };
  return orderElements(partition(merged.all, plain.patch, mergeKey), orders);
}

/** Applies elements that are directives, and returns the lists without them. */
function applySpecialElements(
  original: JsonRecord[],
  patch: JsonRecord[],
  mergeKey: string,
): { original: JsonRecord[]; patch: JsonRecord[] } {
  const deleted = new Set<unknown>();
  const plain: JsonRecord[] = [];
  let isReplaced = false;
  for (const each of patch) {
    if (!Object.hasOwn(each, "$patch")) {
      plain.push(each);
      continue;
    }
    const directive = each["$patch"];
    if (directive === "delete") {
      if (!Object.hasOwn(each, mergeKey)) throw noMergeKey(each, mergeKey);
      deleted.add(each[mergeKey]);
    } else if (directive === "replace") isReplaced = true;
    else if (directive === "merge") throw unknownFailure("merging lists cannot yet be specified in the patch");
    else throw badDirective(directive, each);
  }
  if (isReplaced) return { original: plain, patch: [] };
  const kept = original.filter((each) => !Object.hasOwn(each, mergeKey) || !deleted.has(each[mergeKey]));
  return { original: kept, patch: plain };
}

function mergeElements(
  original: JsonRecord[],
  patch: JsonRecord[],
  {
    type,
    mergeKey,
    mergeMaps,
  }: { readonly type: StrategicType; readonly mergeKey: string; readonly mergeMaps: MergeMaps },
): { all: JsonRecord[]; original: JsonRecord[] } {
  const all = [...original];
  const indexes = new Map<unknown, number>();
  const note = (each: JsonRecord, index: number): void => {
    const key = ownValue(each, mergeKey);
    if (key !== undefined && !indexes.has(key)) indexes.set(key, index);
  };
  all.forEach(note);
  for (const each of patch) {
    if (!Object.hasOwn(each, mergeKey)) throw noMergeKey(each, mergeKey);
    const index = indexes.get(each[mergeKey]);
    const existing = index === undefined ? undefined : all[index];
    if (index === undefined || existing === undefined) {
      note(each, all.length);
      all.push(each);
    } else all[index] = mergeMaps(existing, each, type);
  }
  return { all, original: all.slice(0, original.length) };
}

/** A `$setElementOrder/<key>` directive of a patch. */
interface ElementOrder {
  readonly original: JsonRecord;
  readonly patch: JsonRecord;
  /** Value of the directive. */
  readonly order: unknown;
  /** Name of the directive, including the key. */
  readonly directive: string;
  readonly type: StrategicType;
  readonly mergeMaps: MergeMaps;
}

/** Merges the list that the directive is for and sorts it in the requested order. Removes the list from the patch. */
export function applyElementOrder({ original, patch, order, directive, type, mergeMaps }: ElementOrder): void {
  if (!isList(order)) throw wrongType("[]interface {}", order);
  const key = orderedKey(directive);
  const originalList = listIn(original, key);
  const patchList = listIn(patch, key);
  const metadata = type.listField(key);
  const { mergeKey, strategy } = metadata;
  checkOrder(patchList ?? [], order, mergeKey);
  if (originalList === undefined && patchList === undefined) return;
  let merged: readonly unknown[] = originalList ?? [];
  if (originalList === undefined) {
    merged = (patchList ?? []).flatMap((each) => {
      const kept = withoutDirectives(each);
      return kept === undefined ? [] : [kept];
    });
  } else if (patchList !== undefined) {
    const isMerged = strategy === "merge";
    merged = isMerged
      ? mergeLists([...originalList], [...patchList], { metadata, isDeletion: false, mergeMaps })
      : patchList;
  }
  const parts = partition(merged, order, mergeKey);
  const hasMaps = elementType(originalList ?? [], patchList ?? []) === "map[string]interface {}";
  const orders = { patchOrder: order, serverOrder: originalList ?? [], mergeKey, hasMaps };
  original[key] = orderElements(parts, orders);
  delete patch[key];
}

function orderedKey(directive: string): string {
  const slash = directive.indexOf("/");
  if (slash >= 0 && directive.slice(0, slash) === "$setElementOrder") return directive.slice(slash + 1);
  throw new StrategicPatchError("malformed", ["invalid patch format of setElementOrder list"]);
}

function listIn(record: JsonRecord, key: string): readonly unknown[] | undefined {
  if (!Object.hasOwn(record, key)) return undefined;
  const value = record[key];
  if (!isList(value)) throw wrongType("[]interface {}", value);
  return value;
}

/** Checks that the elements of the patch are in the same relative order as in the directive. */
function checkOrder(patch: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (order.length === 0 || patch.length === 0) return;
  const kept = mergeKey === "" ? patch : patch.filter((each) => !isDeletion(each));
  let at = 0;
  for (const each of order) {
    while (at < kept.length && isRecord(kept[at]) && Object.hasOwn(recordAt(kept, at), "$patch")) at += 1;
    if (at >= kept.length) return;
    if (isSameElement(kept[at], each, mergeKey)) at += 1;
  }
  if (at < kept.length) {
    const [before, between] = ["The order in patch list:\n", "\n doesn't match $setElementOrder list:\n"];
    throw unknownFailure(before, { value: patch }, between, { value: order }, "\n");
  }
}

function isDeletion(each: unknown): boolean {
  if (!isRecord(each)) throw wrongType("map[string]interface {}", each);
  return ownValue(each, "$patch") === "delete";
}

function recordAt(list: readonly unknown[], at: number): JsonRecord {
  const each = list[at];
  return isRecord(each) ? each : {};
}

function isSameElement(a: unknown, b: unknown, mergeKey: string): boolean {
  if (mergeKey === "") return a === b;
  for (const each of [a, b]) if (!isRecord(each)) throw wrongType("map[string]interface {}", each);
  for (const each of [a, b]) if (isRecord(each) && !Object.hasOwn(each, mergeKey)) throw noMergeKey(each, mergeKey);
  return isRecord(a) && isRecord(b) && a[mergeKey] === b[mergeKey];
}

/** Returns the common Go type of all elements. Throws if they differ. */
function elementType(...lists: (readonly unknown[])[]): string {
  let found: string | undefined;
  for (const each of lists.flat()) {
    // kube-apiserver panics here.
    if (each === null) throw unknownFailure("runtime error: invalid memory address or nil pointer dereference");
    const name = goTypeName(each);
    if (found === undefined && isList(each)) {
      throw new StrategicPatchError("unprocessable", ["lists of lists are not supported"]);
    }
    found ??= name;
    if (name !== found) throw unknownFailure("list element types are not identical: ", { value: lists });
  }
  if (found === undefined) throw unknownFailure("no elements in any of the given slices");
  return found;
}
