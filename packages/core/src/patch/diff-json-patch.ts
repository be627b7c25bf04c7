import { isEqual } from "../value/equality.ts";
import { isList, isRecord, type JsonRecord, ownValue } from "../value/record.ts";
import type { JsonPatchOperation } from "./json-patch.ts";
import { formatPointer } from "./pointer.ts";

/** Differences below this depth are replaced as a whole, to limit recursion. Kubernetes objects are never nested this deep. */
const depthMax = 1000;

/** Options of {@link diffJsonPatch}. */
export interface DiffJsonPatchOptions {
  /**
   * Adds a `test` before every change of an existing value, so that the patch fails on a document in which that value was changed
   * in the meantime. A list is tested as a whole, since its indexes are meaningless in another list. That a value is still absent
   * cannot be tested. Default false.
   */
  readonly guard?: boolean;
}

/**
 * Returns a JSON Patch (RFC 6902) that turns `from` into `to`; empty if they are equal.
 *
 * `applyJsonPatch(from, patch)` equals `to`. Unlike a merge patch it can set `null` and change single elements of a list: a common
 * beginning and end of two lists stays untouched.
 *
 * @example
 * diffJsonPatch({ finalizers: ["a", "b"] }, { finalizers: ["b"] }, { guard: true });
 * // test /finalizers ["a", "b"], remove /finalizers/0
 */
export function diffJsonPatch(
  from: unknown,
  to: unknown,
  { guard = false }: DiffJsonPatchOptions = {},
): JsonPatchOperation[] {
  const diff: Diff = { guard, operations: [], path: [] };
  diffValues(diff, from, to);
  return diff.operations;
}

interface Diff {
  readonly guard: boolean;
  readonly operations: JsonPatchOperation[];
  /** The current path. It is shared and restored on return. */
  readonly path: (string | number)[];
}

function diffValues(diff: Diff, from: unknown, to: unknown): void {
  const isShallow = diff.path.length < depthMax;
  if (isShallow && isRecord(from) && isRecord(to)) diffRecords(diff, from, to);
  else if (isEqual(from, to)) return;
  else if (isShallow && isList(from) && isList(to)) diffLists(diff, from, to);
  else {
    expect(diff, from);
    diff.operations.push({ op: "replace", path: formatPointer(diff.path), value: to });
  }
}

function diffRecords(diff: Diff, from: JsonRecord, to: JsonRecord): void {
  for (const key of Object.keys(from)) {
    if (ownValue(to, key) !== undefined || from[key] === undefined) continue;
    at(diff, key, () => {
      expect(diff, from[key]);
      diff.operations.push({ op: "remove", path: formatPointer(diff.path) });
    });
  }
  for (const key of Object.keys(to)) {
    const desired = to[key];
    const present = ownValue(from, key);
    if (desired === undefined) continue;
    at(diff, key, () => {
      if (present !== undefined) diffValues(diff, present, desired);
      else diff.operations.push({ op: "add", path: formatPointer(diff.path), value: desired });
    });
  }
}

/** Diffs two lists: common elements at both ends stay; the middle is first changed, then shortened or extended. */
function diffLists(diff: Diff, from: readonly unknown[], to: readonly unknown[]): void {
  const shorter = Math.min(from.length, to.length);
  let head = 0;
  while (head < shorter && isEqual(from[head], to[head])) head += 1;
  let tail = 0;
  while (tail < shorter - head && isEqual(from.at(-1 - tail), to.at(-1 - tail))) tail += 1;

  expect(diff, from);
  const { operations, path } = diff;
  const inner: Diff = { guard: false, operations, path };
  const fromEnd = from.length - tail;
  const toEnd = to.length - tail;
  for (let i = head; i < Math.min(fromEnd, toEnd); i += 1) at(inner, i, () => diffValues(inner, from[i], to[i]));
  for (let i = fromEnd - 1; i >= toEnd; i -= 1) {
    at(inner, i, () => operations.push({ op: "remove", path: formatPointer(path) }));
  }
  for (let i = fromEnd; i < toEnd; i += 1) {
    at(inner, i, () => operations.push({ op: "add", path: formatPointer(path), value: to[i] }));
  }
}

function expect({ guard, operations, path }: Diff, value: unknown): void {
  if (guard) operations.push({ op: "test", path: formatPointer(path), value });
}

function at({ path }: Diff, step: string | number, run: () => void): void {
  path.push(step);
  run();
  path.pop();
}
