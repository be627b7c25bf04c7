import { isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import { formsOf, namesOf } from "./form.ts";
import { itemElement } from "./list-item.ts";
import type { MergeList, MergeMap, MergeType } from "./merge-type.ts";

/**
 * A live value with an applied one laid over it; `undefined` is absence.
 *
 * Maps merge field by field and associative lists item by item. Everything else is one value, and the applied one counts.
 * Items of the applied list come in its order; live items it does not name keep their places between them.
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
  // Between two empty ones the difference of `{}` and null is kept.
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

/** An item and the text of what it is known by. */
interface Known {
  readonly text: string;
  readonly item: unknown;
}

function mergeLists(type: MergeList, live: unknown, applied: unknown): unknown {
  const left = isList(live) ? live : [];
  const right = isList(applied) ? applied : [];
  if (!type.isAssociative || (left.length === 0 && right.length === 0)) return applied === undefined ? live : applied;
  const merged = interleave(type, knownItems(type, left), knownItems(type, right)).filter((item) => item !== undefined);
  return merged.length === 0 ? undefined : merged;
}

function knownItems(type: MergeList, items: readonly unknown[]): Known[] {
  const known: Known[] = [];
  for (const item of items) {
    const { element } = itemElement(type, item);
    if (element !== undefined) known.push({ text: element.text, item });
  }
  return known;
}

/** By text; an item that repeats is null, as nothing merges with one of several. */
function byText(items: readonly Known[]): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const { text, item } of items) found.set(text, found.has(text) ? null : item);
  return found;
}

function interleave(type: MergeList, live: readonly Known[], applied: readonly Known[]): unknown[] {
  const liveItems = byText(live);
  const appliedItems = byText(applied);
  // In the order of the applied list; `nextShared` is the place of the one that comes next.
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
      // Named by the applied list, but not at this place: it comes at the place that list gives it.
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
