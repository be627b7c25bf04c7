import { problemsText, type TypeProblem } from "./check-value.ts";
import { ApplyFault } from "./apply-fault.ts";
import { isEqual, isList, isRecord, ownValue } from "@homeostat/core";
import { FieldSet, FieldSetBuilder } from "./field-set.ts";
import { type Form, formsOf, namesOf } from "./form.ts";
import { itemElement } from "./list-item.ts";
import { fieldElement, type Path, type PathElement, pathText } from "./path-element.ts";
import type { MergeList, MergeMap, MergeType } from "./merge-type.ts";

/** The difference between two values as sets of fields. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/**
 * Compares two values field by field, as `TypedValue.Compare` of structured-merge-diff does.
 *
 * @throws ApplyFault when an item of an associative list has no valid key.
 */
export function compareTyped(type: MergeType, older: unknown, newer: unknown): Comparison {
  const walk = new Walk();
  walk.values(type, older, newer, []);
  if (walk.problems.length > 0) throw new ApplyFault(problemsText(walk.problems));
  return walk.comparison();
}

/** Returns the comparison without the given fields and everything below them. */
export function withoutFields({ removed, modified, added }: Comparison, fields: FieldSet | undefined): Comparison {
  const hidden = fields ?? FieldSet.empty;
  return {
    removed: removed.differenceDeep(hidden),
    modified: modified.differenceDeep(hidden),
    added: added.differenceDeep(hidden),
  };
}

class Walk {
  readonly problems: TypeProblem[] = [];
  readonly #removed = new FieldSetBuilder();
  readonly #modified = new FieldSetBuilder();
  readonly #added = new FieldSetBuilder();

  comparison(): Comparison {
    return { removed: this.#removed.build(), modified: this.#modified.build(), added: this.#added.build() };
  }

  values(type: MergeType, older: unknown, newer: unknown, path: Path): void {
    // Both values were checked before, so identical parts contain neither changes nor problems.
    if (older === newer) return;
    let wasLeaf = false;
    for (const form of formsOf(type, older, newer)) wasLeaf = this.#inForm(form, older, newer, path);
    if (wasLeaf) return;
    if (older === undefined) this.#added.insert(path);
    else if (newer === undefined) this.#removed.insert(path);
  }

  /** Returns true if the two were compared as leaves, which means as one value each. */
  #inForm(form: Form, older: unknown, newer: unknown, path: Path): boolean {
    if (form.as === "map") return this.#maps(form.map, older, newer, path);
    if (form.as === "list") return this.#lists(form.list, older, newer, path);
    return this.#leaves(older, newer, path);
  }

  #leaves(older: unknown, newer: unknown, path: Path): true {
    if (older === undefined) this.#added.insert(path);
    else if (newer === undefined) this.#removed.insert(path);
    else if (!isEqual(older, newer)) this.#modified.insert(path);
    return true;
  }

  #maps(type: MergeMap, older: unknown, newer: unknown, path: Path): boolean {
    const left = isRecord(older) ? older : {};
    const right = isRecord(newer) ? newer : {};
    const names = new Set([...namesOf(left), ...namesOf(right)]);
    if (type.isAtomic || names.size === 0) return this.#leaves(older, newer, path);
    for (const name of names) {
      const field = type.field(name);
      if (field === undefined) continue;
      this.values(field, ownValue(left, name), ownValue(right, name), [...path, fieldElement(name)]);
    }
    return false;
  }

  #lists(type: MergeList, older: unknown, newer: unknown, path: Path): boolean {
    const left = isList(older) ? older : [];
    const right = isList(newer) ? newer : [];
    if (!type.isAssociative || (left.length === 0 && right.length === 0)) return this.#leaves(older, newer, path);
    const addProblem = (message: string): void => {
      this.problems.push({ path: pathText(path), message });
    };
    for (const { element, older: before, newer: after } of pairUp(type, left, right, addProblem)) {
      this.#items(type.element(), before, after, [...path, element]);
    }
    return false;
  }

  /** Items with the same key cannot be distinguished: they are compared and owned together, as one value. */
  #items(type: MergeType, older: readonly unknown[], newer: readonly unknown[], path: Path): void {
    if (older.length <= 1 && newer.length <= 1) {
      this.values(type, older[0], newer[0], path);
    } else if (older.length > 1 && newer.length > 1) {
      if (!isEqual(older, newer)) this.#modified.insert(path);
    } else if (older.length > 1) {
      if (newer.length > 0) this.values(type, undefined, newer[0], path);
      this.#removed.insert(path);
    } else {
      if (older.length > 0) this.values(type, older[0], undefined, path);
      this.#added.insert(path);
    }
  }
}

interface Pair {
  readonly element: PathElement;
  readonly older: unknown[];
  readonly newer: unknown[];
}

function pairUp(
  type: MergeList,
  older: readonly unknown[],
  newer: readonly unknown[],
  addProblem: (message: string) => void,
): Iterable<Pair> {
  const pairs = new Map<string, Pair>();
  const sort = (items: readonly unknown[], side: "older" | "newer"): void => {
    for (const [index, item] of items.entries()) {
      const { element, problem } = itemElement(type, item);
      if (element === undefined) {
        addProblem(`element ${index}: ${problem}`);
        continue;
      }
      let pair = pairs.get(element.text);
      if (pair === undefined) {
        pair = { element, older: [], newer: [] };
        pairs.set(element.text, pair);
      }
      pair[side].push(item);
    }
  };
  sort(older, "older");
  sort(newer, "newer");
  return pairs.values();
}
