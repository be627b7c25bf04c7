import type { Entry } from "./entry.ts";
import { endOfPrefix, orderOf } from "./key-order.ts";
import type { Tree } from "./tree.ts";

/** A range of keys. */
export interface KeyRange {
  /** Prefix of the keys: `"pods/"`, or `"pods/default/"`. */
  readonly prefix: string;
  /** First key of the range. Default: the first key with the prefix. */
  readonly start?: string;
}

/** Immutable state of the store at one revision. */
export class View<T> {
  readonly revision: number;
  readonly #tree: Tree<Entry<T>>;

  /** The tree must not be changed afterwards. */
  constructor(revision: number, tree: Tree<Entry<T>>) {
    this.revision = revision;
    this.#tree = tree;
  }

  /** Number of values. */
  get size(): number {
    return this.#tree.size;
  }

  get(key: string): Entry<T> | undefined {
    return this.#tree.get(orderOf(key));
  }

  /** Visits the entries of a range in the order of their keys, until `visit` returns false. */
  scan(range: KeyRange, visit: (entry: Entry<T>) => boolean): void {
    const { start, end } = boundsOf(range);
    this.#tree.scan(start, end, visit);
  }

  /** Returns all entries of a range. */
  entries(range: KeyRange): Entry<T>[] {
    const entries: Entry<T>[] = [];
    this.scan(range, (entry) => entries.push(entry) > 0);
    return entries;
  }

  /** Returns the number of entries in a range in logarithmic time, without visiting them. */
  count(range: KeyRange): number {
    const { start, end } = boundsOf(range);
    const endRank = end === undefined ? this.#tree.size : this.#tree.rank(end);
    return Math.max(0, endRank - this.#tree.rank(start));
  }

  /** Returns a tree with the same content that the caller may change. */
  cloneTree(): Tree<Entry<T>> {
    return this.#tree.clone();
  }
}

function boundsOf({ prefix, start }: KeyRange): { start: string; end: string | undefined } {
  const first = orderOf(prefix);
  const from = start === undefined ? first : orderOf(start);
  return { start: from > first ? from : first, end: endOfPrefix(first) };
}
