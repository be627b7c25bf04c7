import type { Entry } from "./entry.ts";
import { endOfPrefix, orderOf } from "./key-order.ts";
import type { Tree } from "./tree.ts";

/** Where in the keys to look. */
export interface KeyRange {
  /** What the keys begin with: `"pods/"`, or `"pods/default/"`. */
  readonly prefix: string;
  /** The first key to look at, if not the first with the prefix. */
  readonly start?: string;
}

/** Everything that was stored at one revision. It stays as it is, whatever is written later. */
export class View<T> {
  readonly revision: number;
  readonly #tree: Tree<Entry<T>>;

  /** The tree must not change any more. */
  constructor(revision: number, tree: Tree<Entry<T>>) {
    this.revision = revision;
    this.#tree = tree;
  }

  /** How many values there are in all. */
  get size(): number {
    return this.#tree.size;
  }

  get(key: string): Entry<T> | undefined {
    return this.#tree.get(orderOf(key));
  }

  /** Visits the entries of a range in the order of their keys, until a visit returns false. */
  scan(range: KeyRange, visit: (entry: Entry<T>) => boolean): void {
    const { start, end } = boundsOf(range);
    this.#tree.scan(start, end, visit);
  }

  /** All entries of a range. */
  entries(range: KeyRange): Entry<T>[] {
    const entries: Entry<T>[] = [];
    this.scan(range, (entry) => entries.push(entry) > 0);
    return entries;
  }

  /** How many entries a range has, without looking at each. */
  count(range: KeyRange): number {
    const { start, end } = boundsOf(range);
    const behind = end === undefined ? this.#tree.size : this.#tree.rank(end);
    return Math.max(0, behind - this.#tree.rank(start));
  }

  /** A tree of the same contents that the caller may change. */
  cloneTree(): Tree<Entry<T>> {
    return this.#tree.clone();
  }
}

function boundsOf({ prefix, start }: KeyRange): { start: string; end: string | undefined } {
  const first = orderOf(prefix);
  const from = start === undefined ? first : orderOf(start);
  return { start: from > first ? from : first, end: endOfPrefix(first) };
}
