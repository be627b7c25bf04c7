// Unified diffs. Matching lines are found like in Python's difflib, from which kube-apiserver's library (go-difflib) is ported: the longest
// common block first, then recursively the parts before and after it. Another algorithm would produce other messages.

/** A common block: `size` lines of `a` from `at` on are equal to those of `b` from `to` on. */
interface Block {
  readonly at: number;
  readonly to: number;
  readonly size: number;
}

/** A section of both texts: equal, or replaced. */
interface Change {
  readonly isEqual: boolean;
  readonly from: number;
  readonly end: number;
  readonly otherFrom: number;
  readonly otherEnd: number;
}

const context = 3;
/** From this length on, lines that make up more than 1 % of the text are not used to find blocks (`autojunk` of difflib). */
const autojunkLinesMin = 200;

/** Returns the unified diff of two texts, given as lines; empty when they are equal. */
export function unifiedDiff(a: readonly string[], b: readonly string[]): string {
  return grouped(changesOf(a, b))
    .map((group) => printed(group, a, b))
    .join("");
}

function printed(group: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return "";
  const head = `@@ -${range(first.from, last.end)} +${range(first.otherFrom, last.otherEnd)} @@\n`;
  const lines = group.flatMap(({ isEqual, from, end, otherFrom, otherEnd }) =>
    isEqual
      ? a.slice(from, end).map((line) => ` ${line}\n`)
      : [
          ...a.slice(from, end).map((line) => `-${line}\n`),
          ...b.slice(otherFrom, otherEnd).map((line) => `+${line}\n`),
        ],
  );
  return head + lines.join("");
}

function range(from: number, end: number): string {
  const length = end - from;
  if (length === 1) return String(from + 1);
  return `${length === 0 ? from : from + 1},${length}`;
}

/** Groups changes into hunks with lines of context; changes that are close to each other share a hunk. */
function grouped(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  let group: Change[] = [];
  changes.forEach((change, index) => {
    if (!change.isEqual) return void group.push(change);
    const isFirst = index === 0;
    const isLast = index === changes.length - 1;
    if (!isFirst && !isLast && change.end - change.from <= 2 * context) return void group.push(change);
    if (!isFirst) group.push(head(change));
    if (!isFirst && !isLast) {
      groups.push(group);
      group = [];
    }
    if (!isLast) group.push(tail(change));
  });
  if (group.some(({ isEqual }) => !isEqual)) groups.push(group);
  return groups;
}

function head({ from, end, otherFrom, otherEnd }: Change): Change {
  const [size, otherSize] = [Math.min(context, end - from), Math.min(context, otherEnd - otherFrom)];
  return { isEqual: true, from, end: from + size, otherFrom, otherEnd: otherFrom + otherSize };
}

function tail({ from, end, otherFrom, otherEnd }: Change): Change {
  const [size, otherSize] = [Math.min(context, end - from), Math.min(context, otherEnd - otherFrom)];
  return { isEqual: true, from: end - size, end, otherFrom: otherEnd - otherSize, otherEnd };
}

function changesOf(a: readonly string[], b: readonly string[]): Change[] {
  const changes: Change[] = [];
  let [from, otherFrom] = [0, 0];
  for (const { at, to, size } of [...blocksOf(a, b), { at: a.length, to: b.length, size: 0 }]) {
    if (from < at || otherFrom < to) changes.push({ isEqual: false, from, end: at, otherFrom, otherEnd: to });
    [from, otherFrom] = [at + size, to + size];
    if (size > 0) changes.push({ isEqual: true, from: at, end: from, otherFrom: to, otherEnd: otherFrom });
  }
  return changes;
}

/** Returns the common blocks in order; adjacent ones are merged. */
function blocksOf(a: readonly string[], b: readonly string[]): Block[] {
  const positions = positionsOf(b);
  const found: Block[] = [];
  const open: [number, number, number, number][] = [[0, a.length, 0, b.length]];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const [from, end, otherFrom, otherEnd] = part;
    const block = longest({ a, b, positions }, part);
    if (block.size === 0) continue;
    found.push(block);
    const { at, to, size } = block;
    if (from < at && otherFrom < to) open.push([from, at, otherFrom, to]);
    if (at + size < end && to + size < otherEnd) open.push([at + size, end, to + size, otherEnd]);
  }
  found.sort((left, right) => left.at - right.at);
  return found.reduce<Block[]>((joined, block) => {
    const last = joined.at(-1);
    if (last === undefined || last.at + last.size !== block.at || last.to + last.size !== block.to) joined.push(block);
    else joined[joined.length - 1] = { ...last, size: last.size + block.size };
    return joined;
  }, []);
}

function positionsOf(b: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const positions = new Map<string, number[]>();
  b.forEach((line, index) => {
    const known = positions.get(line);
    if (known === undefined) positions.set(line, [index]);
    else known.push(index);
  });
  if (b.length < autojunkLinesMin) return positions;
  const most = Math.floor(b.length / 100) + 1;
  return new Map([...positions].filter(([, found]) => found.length <= most));
}

interface Texts {
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly positions: ReadonlyMap<string, readonly number[]>;
}

/** Returns the longest common block of a section; the first one of several. */
function longest(
  { a, b, positions }: Texts,
  [from, end, otherFrom, otherEnd]: readonly [number, number, number, number],
): Block {
  let best: Block = { at: from, to: otherFrom, size: 0 };
  let sizes = new Map<number, number>();
  for (let i = from; i < end; i += 1) {
    const next = new Map<number, number>();
    for (const j of positions.get(a[i] ?? "") ?? []) {
      if (j < otherFrom) continue;
      if (j >= otherEnd) break;
      const size = (sizes.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { at: i - size + 1, to: j - size + 1, size };
    }
    sizes = next;
  }
  // Frequent lines, which are not in the index, are added to the block that they adjoin.
  let { at, to, size } = best;
  while (at > from && to > otherFrom && a[at - 1] === b[to - 1]) [at, to, size] = [at - 1, to - 1, size + 1];
  while (at + size < end && to + size < otherEnd && a[at + size] === b[to + size]) size += 1;
  return { at, to, size };
}
