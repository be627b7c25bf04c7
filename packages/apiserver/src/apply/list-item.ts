import { isList, isRecord, ownValue } from "@homeostat/core";
import { quote } from "@homeostat/cel";
import { indexElement, type KeyField, keyElement, type PathElement, valueElement } from "./path-element.ts";
import type { MergeList } from "./merge-type.ts";

/** The path element that identifies an item of an associative list, or the reason why there is none. */
export type ItemElement =
  | { readonly element: PathElement; readonly problem?: undefined }
  | { readonly element?: undefined; readonly problem: string };

/**
 * Path element for items without a usable key. Checked objects have none; they arise when the key fields of an item
 * were removed by pruning.
 */
export const unknownItem: PathElement = indexElement(-1);

/** Returns the path element of an item of an associative list: its key fields, or its value in a set. */
export function itemElement(list: MergeList, item: unknown): ItemElement {
  return list.keys.length === 0 ? elementInSet(item) : elementWithKeys(list, item);
}

function elementInSet(item: unknown): ItemElement {
  if (item === null || item === undefined) {
    return { problem: "associative list without keys has an element that's an explicit null" };
  }
  if (isRecord(item)) return { problem: "associative list without keys has an element that's a map type" };
  if (isList(item)) return { problem: "not supported: associative list with lists as elements" };
  return { element: valueElement(item) };
}

function elementWithKeys(list: MergeList, item: unknown): ItemElement {
  if (item === null || item === undefined) {
    return { problem: "associative list with keys may not have a null element" };
  }
  if (!isRecord(item)) return { problem: "associative list with keys may not have non-map elements" };
  const fields: KeyField[] = [];
  const { map } = list.element();
  for (const name of list.keys) {
    const value = ownValue(item, name);
    if (value !== undefined) {
      fields.push({ name, value });
      continue;
    }
    if (map === undefined) {
      return { problem: `couldn't find default value for ${name}: associative list may not have non-map types` };
    }
    const byDefault = map.fieldDefault(name);
    // Without a default, an item that lacks this key and one that has it are two different items.
    if (byDefault !== undefined && byDefault !== null) fields.push({ name, value: byDefault });
  }
  if (fields.length > 0) return { element: keyElement(fields) };
  const keys = `[${list.keys.map(quote).join(" ")}]`;
  return {
    problem: `associative list with keys has an element that omits all key fields ${keys} (and doesn't have default values for any key fields)`,
  };
}
