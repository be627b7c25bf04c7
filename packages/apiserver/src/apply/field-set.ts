import { compareElements, type Path, type PathElement } from "./path-element.ts";

/** One element of a set and the paths below it. Either `isMember` is true or `below` is not empty. */
export interface FieldSetEntry {
  readonly element: PathElement;
  /** True if the path that ends at this element is in the set. */
  readonly isMember: boolean;
  /** The paths that continue below this element, relative to it. */
  readonly below: FieldSet;
}

/**
 * An immutable set of field paths, stored as a tree.
 *
 * A path does not imply the paths below it, nor those above it: a manager may own a list item without owning its
 * fields, and fields without the struct that contains them. Operations return new sets that share unchanged subtrees.
 */
export class FieldSet {
  static readonly empty: FieldSet = new FieldSet(new Map());
  readonly #entries: ReadonlyMap<string, FieldSetEntry>;

  private constructor(entries: ReadonlyMap<string, FieldSetEntry>) {
    this.#entries = entries;
  }

  /** Returns the set of the given paths. The empty path is ignored: it means the whole object, which is never owned. */
  static of(paths: Iterable<Path>): FieldSet {
    const builder = new FieldSetBuilder();
    for (const path of paths) builder.insert(path);
    return builder.build();
  }

  /**
   * Returns the set with these entries. Entries without any path are ignored; the last of several entries for one
   * element wins.
   */
  static from(entries: Iterable<FieldSetEntry>): FieldSet {
    const kept = new Map<string, FieldSetEntry>();
    for (const entry of entries) {
      if (entry.isMember || !entry.below.isEmpty) kept.set(entry.element.text, entry);
      else kept.delete(entry.element.text);
    }
    return kept.size === 0 ? FieldSet.empty : new FieldSet(kept);
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Number of paths. */
  get size(): number {
    let size = 0;
    for (const { isMember, below } of this.#entries.values()) size += (isMember ? 1 : 0) + below.size;
    return size;
  }

  /** Returns the entries of the top level, unordered. */
  entries(): IterableIterator<FieldSetEntry> {
    return this.#entries.values();
  }

  /** Returns the entries of the top level in `fieldsV1` order. */
  sortedEntries(): FieldSetEntry[] {
    return [...this.#entries.values()].sort((a, b) => compareElements(a.element, b.element));
  }

  /** Returns the entry for an element of the top level. */
  entry(element: PathElement): FieldSetEntry | undefined {
    return this.#entries.get(element.text);
  }

  /** Returns the paths that begin with an element, without that element. */
  below(element: PathElement): FieldSet {
    return this.#entries.get(element.text)?.below ?? FieldSet.empty;
  }

  has(path: Path): boolean {
    const [first, ...rest] = path;
    if (first === undefined) return false;
    const entry = this.#entries.get(first.text);
    if (entry === undefined) return false;
    return rest.length === 0 ? entry.isMember : entry.below.has(rest);
  }

  /**
   * Yields all paths in the order of structured-merge-diff: per level, first the paths that end there, then those that
   * continue.
   */
  *paths(prefix: Path = []): Generator<Path> {
    const sorted = this.sortedEntries();
    for (const { element, isMember } of sorted) if (isMember) yield [...prefix, element];
    for (const { element, below } of sorted) if (!below.isEmpty) yield* below.paths([...prefix, element]);
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.#entries.size !== other.#entries.size) return false;
    for (const [text, mine] of this.#entries) {
      const theirs = other.#entries.get(text);
      if (theirs === undefined || mine.isMember !== theirs.isMember || !mine.below.equals(theirs.below)) return false;
    }
    return true;
  }

  /**
   * Returns the paths of both sets. Returns `other` itself if it contains all paths of this set, so that callers can
   * detect with `===` that nothing was added.
   */
  union(other: FieldSet): FieldSet {
    if (this.isEmpty || this === other) return other;
    if (other.isEmpty) return this;
    let united: Map<string, FieldSetEntry> | undefined;
    for (const [text, mine] of this.#entries) {
      const theirs = other.#entries.get(text);
      const both = theirs === undefined ? mine : unite(mine, theirs);
      if (both === theirs) continue;
      united ??= new Map(other.#entries);
      united.set(text, both);
    }
    return united === undefined ? other : new FieldSet(united);
  }

  intersection(other: FieldSet): FieldSet {
    if (this === other) return this;
    const common: FieldSetEntry[] = [];
    for (const [text, mine] of this.#entries) {
      const theirs = other.#entries.get(text);
      if (theirs === undefined) continue;
      const isMember = mine.isMember && theirs.isMember;
      common.push({ element: mine.element, isMember, below: mine.below.intersection(theirs.below) });
    }
    return FieldSet.from(common);
  }

  /** Returns the paths of this set that are not in the other. */
  difference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    const left: FieldSetEntry[] = [];
    for (const [text, mine] of this.#entries) {
      const theirs = other.#entries.get(text);
      left.push(theirs === undefined ? mine : subtract(mine, theirs));
    }
    return FieldSet.from(left);
  }

  /** Returns the paths of this set that are neither in the other set nor below one of its paths. */
  differenceDeep(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    const left: FieldSetEntry[] = [];
    for (const [text, mine] of this.#entries) {
      const theirs = other.#entries.get(text);
      if (theirs === undefined) left.push(mine);
      else if (!theirs.isMember) left.push({ ...mine, below: mine.below.differenceDeep(theirs.below) });
    }
    return FieldSet.from(left);
  }
}

function unite(mine: FieldSetEntry, theirs: FieldSetEntry): FieldSetEntry {
  const isMember = mine.isMember || theirs.isMember;
  const below = mine.below.union(theirs.below);
  return isMember === theirs.isMember && below === theirs.below ? theirs : { element: mine.element, isMember, below };
}

function subtract(mine: FieldSetEntry, theirs: FieldSetEntry): FieldSetEntry {
  return {
    element: mine.element,
    isMember: mine.isMember && !theirs.isMember,
    below: mine.below.difference(theirs.below),
  };
}

interface MutableEntry {
  readonly element: PathElement;
  isMember: boolean;
  readonly below: Map<string, MutableEntry>;
}

/** Collects paths into a {@link FieldSet}. */
export class FieldSetBuilder {
  readonly #root = new Map<string, MutableEntry>();

  /** Adds a path. The empty path is ignored: it means the whole object, which is never owned. */
  insert(path: Path): void {
    let level = this.#root;
    let last: MutableEntry | undefined;
    for (const element of path) {
      last = level.get(element.text);
      if (last === undefined) {
        last = { element, isMember: false, below: new Map() };
        level.set(element.text, last);
      }
      level = last.below;
    }
    if (last !== undefined) last.isMember = true;
  }

  build(): FieldSet {
    return toFieldSet(this.#root);
  }
}

function toFieldSet(level: ReadonlyMap<string, MutableEntry>): FieldSet {
  if (level.size === 0) return FieldSet.empty;
  const entries: FieldSetEntry[] = [];
  for (const { element, isMember, below } of level.values())
    entries.push({ element, isMember, below: toFieldSet(below) });
  return FieldSet.from(entries);
}
