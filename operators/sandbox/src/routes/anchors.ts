// An index of match trees by labels, so a change of one sandbox does not evaluate the trees of all groups.

import type { Labels } from "@homeostat/core";
import type { MatchNode } from "./match.ts";

/** A label that sandboxes need: a key with any value, or with one value. */
interface Anchor {
  readonly key: string;
  readonly value?: string;
}

/** Trees by their anchors. */
export class AnchorIndex<T> {
  readonly #byAnchor = new Map<string, Set<T>>();
  readonly #unanchored = new Set<T>();

  add(item: T, match: MatchNode | undefined): void {
    for (const set of this.#sets(match)) set.add(item);
  }

  /** Removes an item that was added with an equal tree. */
  remove(item: T, match: MatchNode | undefined): void {
    for (const set of this.#sets(match)) set.delete(item);
    for (const anchor of anchorsOf(match) ?? []) {
      if (this.#byAnchor.get(textOf(anchor))?.size === 0) this.#byAnchor.delete(textOf(anchor));
    }
  }

  /** Returns items whose trees may match the labels: all that do, and some that do not. */
  candidates(labels: Labels): ReadonlySet<T> {
    const found = new Set(this.#unanchored);
    for (const [key, value] of Object.entries(labels)) {
      for (const item of this.#byAnchor.get(textOf({ key })) ?? []) found.add(item);
      for (const item of this.#byAnchor.get(textOf({ key, value })) ?? []) found.add(item);
    }
    return found;
  }

  #sets(match: MatchNode | undefined): readonly Set<T>[] {
    const anchors = anchorsOf(match);
    if (anchors === undefined) return [this.#unanchored];
    return anchors.map((anchor) => {
      const text = textOf(anchor);
      const set = this.#byAnchor.get(text) ?? new Set();
      this.#byAnchor.set(text, set);
      return set;
    });
  }
}

/**
 * Returns labels of which every matching sandbox has at least one; undefined if a sandbox without labels may match.
 *
 * A tree that matches nothing has no anchors.
 */
function anchorsOf(node: MatchNode | undefined): readonly Anchor[] | undefined {
  if (node === undefined) return [];
  const { label, selector, any, all } = node;
  if (label !== undefined) return [isLiteral(label.value) ? label : { key: label.key }];
  if (selector !== undefined) return selectorAnchors(selector);
  if (any !== undefined) {
    const parts = any.map(anchorsOf);
    return parts.some((part) => part === undefined) ? undefined : parts.flatMap((part) => part ?? []);
  }
  // All parts must match, so the anchors of any one of them are sufficient. Uses the most selective ones.
  return (all ?? []).map(anchorsOf).reduce(moreSelective, undefined);
}

function selectorAnchors({
  matchLabels,
  matchExpressions,
}: NonNullable<MatchNode["selector"]>): readonly Anchor[] | undefined {
  const [pair] = Object.entries(matchLabels ?? {});
  if (pair !== undefined) return [{ key: pair[0], value: pair[1] }];
  const required = (matchExpressions ?? []).find(({ operator }) => operator === "In" || operator === "Exists");
  if (required === undefined) return undefined;
  const { key, operator, values } = required;
  return operator === "Exists" ? [{ key }] : (values ?? []).map((value) => ({ key, value }));
}

function moreSelective(
  a: readonly Anchor[] | undefined,
  b: readonly Anchor[] | undefined,
): readonly Anchor[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return open(b) < open(a) || (open(b) === open(a) && b.length < a.length) ? b : a;
}

/** Returns the number of anchors that accept any value. */
function open(anchors: readonly Anchor[]): number {
  return anchors.filter(({ value }) => value === undefined).length;
}

function isLiteral(glob: string): boolean {
  return !/[*?[]/.test(glob);
}

/** Keys and values of labels contain neither spaces nor line breaks. */
function textOf({ key, value }: Anchor): string {
  return value === undefined ? key : `${key}\n${value}`;
}
