// Sets of completion indexes in the format of a Job's status: `1,3-5,7`.

/** The integers from `first` to `last`, both included. */
export interface Interval {
  readonly first: number;
  readonly last: number;
}

/** A set of indexes as sorted intervals that neither overlap nor touch. */
export type Indexes = readonly Interval[];

/** Parses a set of indexes below `completions`. Invalid intervals are skipped. */
export function parseIndexes(text: string, completions: number): Indexes {
  const intervals: Interval[] = [];
  if (text === "") return intervals;
  for (const part of text.split(",")) {
    const [from = "", to] = part.split("-");
    const first = wholeNumber(from);
    const last = to === undefined ? first : wholeNumber(to);
    if (first === undefined || last === undefined) continue;
    if (first >= completions) break;
    intervals.push({ first, last: Math.min(last, completions - 1) });
  }
  return joined(intervals);
}

/** Formats a set of indexes: two consecutive ones with a comma, more with a dash. */
export function formatIndexes(indexes: Indexes): string {
  return indexes
    .map(({ first, last }) => (last === first ? `${first}` : `${first}${last === first + 1 ? "," : "-"}${last}`))
    .join(",");
}

/** Builds a set from indexes. */
export function indexesFrom(numbers: Iterable<number>): Indexes {
  return joined([...numbers].toSorted((a, b) => a - b).map((index) => ({ first: index, last: index })));
}

/** Returns the union of two sets. */
export function union(a: Indexes, b: Indexes): Indexes {
  return joined([...a, ...b].toSorted((one, other) => one.first - other.first));
}

/** Returns the number of indexes in a set. */
export function sizeOf(indexes: Indexes): number {
  return indexes.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

/** Reports whether an index is in a set. */
export function hasIndex(indexes: Indexes, index: number): boolean {
  return indexes.some(({ first, last }) => first <= index && index <= last);
}

/** Returns the size of the intersection of two sets. */
export function overlap(a: Indexes, b: Indexes): number {
  let count = 0;
  for (let i = 0, j = 0; ;) {
    const one = a[i];
    const other = b[j];
    if (one === undefined || other === undefined) return count;
    count += Math.max(0, Math.min(one.last, other.last) - Math.max(one.first, other.first) + 1);
    if (one.last < other.last) i += 1;
    else j += 1;
  }
}

/** Returns the `count` lowest indexes below `completions` that are not in a set. */
export function firstMissing(
  indexes: Indexes,
  { count, completions }: { count: number; completions: number },
): number[] {
  const found: number[] = [];
  let next = 0;
  const take = (end: number): void => {
    for (; next < end && found.length < count; next += 1) found.push(next);
  };
  for (const { first, last } of indexes) {
    take(Math.min(first, completions));
    next = Math.max(next, last + 1);
  }
  take(completions);
  return found;
}

/** Merges intervals that overlap or touch. They must be sorted by `first`. */
function joined(intervals: readonly Interval[]): Indexes {
  const result: { first: number; last: number }[] = [];
  for (const { first, last } of intervals) {
    const before = result.at(-1);
    if (before === undefined || first > before.last + 1) result.push({ first, last });
    else before.last = Math.max(before.last, last);
  }
  return result;
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
