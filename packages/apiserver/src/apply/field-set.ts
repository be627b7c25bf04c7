import { compareElements, type Path, type PathElement } from "./path-element.ts";

/** What a set says about one element at the level where it stands. At least one of the two is true of it. */
export interface FieldSetEntry {
  readonly element: PathElement;
  /** Whether the path that ends here is in the set. */
  readonly isMember: boolean;
  /** The paths that go on from here, without what leads here. */
  readonly below: FieldSet;
}

/**
 * A set of paths, as a tree. Owning a field does not mean owning what is in it, nor the other way round.
 *
 * Sets do not change; operations give new ones that share what stayed the same.
 */
export class FieldSet {
  static readonly empty: FieldSet = new FieldSet(new Map());
  readonly #entries: ReadonlyMap<string, FieldSetEntry>;

  private constructor(entries: ReadonlyMap<string, FieldSetEntry>) {
    this.#entries = entries;
  }

  /** The set of the given paths. The empty path stands for the whole object, which nobody owns, and is left out. */
  static of(paths: Iterable<Path>): FieldSet {
    const builder = new FieldSetBuilder();
    for (const path of paths) builder.insert(path);
    return builder.build();
  }

  /** The set with these entries; those that say nothing are left out, and of two for one element the last one counts. */
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

  /** How many paths there are. */
  get size(): number {
    let size = 0;
    for (const { isMember, below } of this.#entries.values()) size += (isMember ? 1 : 0) + below.size;
    return size;
  }

  /** The entries of the uppermost level, in no particular order. */
  entries(): IterableIterator<FieldSetEntry> {
    return this.#entries.values();
  }

  /** The entries of the uppermost level in order. */
  sortedEntries(): FieldSetEntry[] {
    return [...this.#entries.values()].sort((a, b) => compareElements(a.element, b.element));
  }

  /** What the set says about an element of the uppermost level. */
  entry(element: PathElement): FieldSetEntry | undefined {
    return this.#entries.get(element.text);
  }

  /** The paths that begin with an element, without it. */
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

  /** All paths: those that end on a level before those that go on, each in order. */
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

  /** The paths of both sets. It is the other set itself when that has all of this one. */
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

  /** The paths of this set that are not in the other. */
  difference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    const left: FieldSetEntry[] = [];
    for (const [text, mine] of this.#entries) {
      const theirs = other.#entries.get(text);
      left.push(theirs === undefined ? mine : subtract(mine, theirs));
    }
    return FieldSet.from(left);
  }

  /** The paths of this set that neither are in the other nor begin with a path of it. */
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

interface Growing {
  readonly element: PathElement;
  isMember: boolean;
  readonly below: Map<string, Growing>;
}

/** Gathers paths one by one into a {@link FieldSet}. */
export class FieldSetBuilder {
  readonly #root = new Map<string, Growing>();

  /** Adds a path. The empty one is left out: nobody owns the whole object. */
  insert(path: Path): void {
    let level = this.#root;
    let last: Growing | undefined;
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
    return frozen(this.#root);
  }
}

function frozen(level: ReadonlyMap<string, Growing>): FieldSet {
  if (level.size === 0) return FieldSet.empty;
  const entries: FieldSetEntry[] = [];
  for (const { element, isMember, below } of level.values()) entries.push({ element, isMember, below: frozen(below) });
  return FieldSet.from(entries);
}
