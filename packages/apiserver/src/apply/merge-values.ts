import { isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import { formsOf, namesOf } from "./form.ts";
import { itemElement } from "./list-item.ts";
import type { MergeList, MergeMap, MergeType } from "./merge-type.ts";

/**
 * Merges an applied value into a live one; `undefined` means absent.
 *
 * Maps merge field by field and associative lists item by item; any other value is replaced by the applied one. Items
 * of the applied list keep its order; live items that are not in it keep their positions relative to their neighbours.
 */
export function mergeValues(type: MergeType, live: unknown, applied: unknown): unknown {
  const forms = formsOf(type, live, applied);
  const form = forms.at(-1);
  if (form?.as === "map") return mergeMaps(form.map, live, applied);
  if (form?.as === "list") return mergeLists(form.list, live, applied);
  return applied === undefined ? live : applied;
}

function mergeMaps(type: MergeMap, live: unknown, applied: unknown): unknown {
  const left = isRecord(live) ? live : {};
  const right = isRecord(applied) ? applied : {};
  const names = new Set([...namesOf(left), ...namesOf(right)]);
  // If both are empty, the difference between `{}` and null must be preserved.
  if (type.isAtomic || names.size === 0) return applied === undefined ? live : applied;
  const merged: JsonRecord = {};
  let count = 0;
  for (const name of names) {
    const field = type.field(name);
    const older = ownValue(left, name);
    const newer = ownValue(right, name);
    const value = field === undefined ? (newer ?? older) : mergeValues(field, older, newer);
    if (value === undefined) continue;
    safeSet(merged, name, value);
    count += 1;
  }
  return count === 0 ? undefined : merged;
}

/** A list item and the text of its path element. */
interface KeyedItem {
  readonly text: string;
  readonly item: unknown;
}

function mergeLists(type: MergeList, live: unknown, applied: unknown): unknown {
  const left = isList(live) ? live : [];
  const right = isList(applied) ? applied : [];
  if (!type.isAssociative || (left.length === 0 && right.length === 0)) return applied === undefined ? live : applied;
  const merged = interleave(type, keyedItems(type, left), keyedItems(type, right)).filter((item) => item !== undefined);
  return merged.length === 0 ? undefined : merged;
}

function keyedItems(type: MergeList, items: readonly unknown[]): KeyedItem[] {
  const keyed: KeyedItem[] = [];
  for (const item of items) {
    const { element } = itemElement(type, item);
    if (element !== undefined) keyed.push({ text: element.text, item });
  }
  return keyed;
}

/** Indexes items by text. A repeated item maps to null, because there is no single item to merge with. */
function byText(items: readonly KeyedItem[]): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const { text, item } of items) found.set(text, found.has(text) ? null : item);
  return found;
}

/**
 * Merges the items of two associative lists and keeps both orders as far as possible.
 *
 * The walk advances through both lists at once. Items of the applied list are emitted in its order, merged with the live
 * item of the same key. A live item that is not in the applied list is emitted where the walk meets it, so it stays
 * between its neighbours. A live item that the applied list has at a later position is skipped until then.
 */
function interleave(type: MergeList, live: readonly KeyedItem[], applied: readonly KeyedItem[]): unknown[] {
  const liveItems = byText(live);
  const appliedItems = byText(applied);
  // Items in both lists, in the order of the applied list; `nextShared` is the index of the next one to emit.
  const shared = applied.filter(({ text }) => liveItems.has(text)).map(({ text }) => text);
  let nextShared = 0;
  const done = new Set<string>();
  const merged: unknown[] = [];
  const element = type.element();
  const take = (text: string): void => {
    done.add(text);
    merged.push(mergeValues(element, liveItems.get(text), appliedItems.get(text)));
  };
  let leftAt = 0;
  let rightAt = 0;
  while (leftAt < live.length || rightAt < applied.length) {
    const left = live[leftAt];
    const right = applied[rightAt];
    if (left !== undefined && right !== undefined) {
      if (left.text === right.text) {
        take(left.text);
        nextShared += 1;
        leftAt += 1;
        rightAt += 1;
        continue;
      }
      // The applied list contains this item at a later position: emit it there.
      if (appliedItems.has(left.text) && nextShared < shared.length && shared[nextShared] !== left.text) {
        leftAt += 1;
        continue;
      }
    }
    if (left !== undefined) {
      if (!appliedItems.has(left.text)) {
        merged.push(mergeValues(element, left.item, undefined));
        leftAt += 1;
        continue;
      }
      if (done.has(left.text)) leftAt += 1;
    }
    if (right !== undefined) {
      take(right.text);
      if (shared[nextShared] === right.text) nextShared += 1;
      rightAt += 1;
    }
  }
  return merged;
}
