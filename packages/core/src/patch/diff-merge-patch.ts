import { isEqual } from "../value/equality.ts";
import { isRecord, type JsonRecord, ownValue, safeSet } from "../value/record.ts";
import { PatchError } from "./patch-error.ts";
import { formatPointer } from "./pointer.ts";

/** Deeper differences are refused: no Kubernetes object comes near, and recursion needs an end. */
const depthMax = 1000;

/**
 * The smallest JSON Merge Patch (RFC 7386) that turns `from` into `to`, or `undefined` when they are equal.
 *
 * `applyMergePatch(from, patch)` equals `to`. Properties that are `undefined` count as absent. A merge patch cannot set
 * a property to `null`, so a difference that would need it throws a {@link PatchError} (`not-expressible`) that
 * names the place; `null` that is the same on both sides, or inside a list, is fine.
 *
 * @example
 * diffMergePatch({ a: 1, b: 2 }, { a: 1, c: 3 }); // { b: null, c: 3 }
 */
export function diffMergePatch(from: unknown, to: unknown): unknown {
  return difference(from, to, []);
}

/** The patch at one place, or `undefined` when nothing differs there. `path` is shared; it is put back on return. */
function difference(from: unknown, to: unknown, path: string[]): unknown {
  // Nothing but an object is ever merged into.
  if (!isRecord(to)) return isEqual(from, to) ? undefined : to;
  if (path.length === depthMax) {
    if (isEqual(from, to)) return undefined;
    throw tooDeep(path);
  }
  // A merge treats what is no object as an empty one.
  const source = isRecord(from) ? from : {};
  const patch: JsonRecord = {};
  let isChanged = source !== from;
  for (const key of Object.keys(source)) {
    if (source[key] === undefined || ownValue(to, key) !== undefined) continue;
    safeSet(patch, key, null);
    isChanged = true;
  }
  for (const key of Object.keys(to)) {
    const wanted = to[key];
    if (wanted === undefined) continue;
    const present = ownValue(source, key);
    path.push(key);
    if (wanted === null && present !== null) throw notExpressible(path);
    const change = difference(present, wanted, path);
    path.pop();
    if (change === undefined) continue;
    safeSet(patch, key, change);
    isChanged = true;
  }
  return isChanged ? patch : undefined;
}

function notExpressible(path: readonly string[]): PatchError {
  return new PatchError({
    reason: "not-expressible",
    problem: "a merge patch cannot set a property to null",
    path: formatPointer(path),
  });
}

function tooDeep(path: readonly string[]): PatchError {
  return new PatchError({
    reason: "too-large",
    problem: `the difference lies deeper than ${depthMax} levels`,
    path: formatPointer(path),
  });
}
