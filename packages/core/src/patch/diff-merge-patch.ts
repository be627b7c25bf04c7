import { isEqual } from "../value/equality.ts";
import { isRecord, type JsonRecord, ownValue, safeSet } from "../value/record.ts";
import { PatchError } from "./patch-error.ts";
import { formatPointer } from "./pointer.ts";

/** Deeper differences are refused, to limit recursion. Kubernetes objects are never nested this deep. */
const depthMax = 1000;

/**
 * Returns the smallest JSON Merge Patch (RFC 7386) that turns `from` into `to`, or undefined if they are equal.
 *
 * `applyMergePatch(from, patch)` equals `to`. Properties that are undefined count as absent. A merge patch cannot set a property to
 * `null`, so a difference that requires this throws a {@link PatchError} (`not-expressible`) that names the path. `null` that is the
 * same on both sides, or inside a list, is allowed.
 *
 * @example
 * diffMergePatch({ a: 1, b: 2 }, { a: 1, c: 3 }); // { b: null, c: 3 }
 */
export function diffMergePatch(from: unknown, to: unknown): unknown {
  return difference(from, to, []);
}

/** Returns the patch at a path, or undefined if nothing differs there. `path` is shared and restored on return. */
function difference(from: unknown, to: unknown, path: string[]): unknown {
  // Only objects are merged; anything else is replaced.
  if (!isRecord(to)) return isEqual(from, to) ? undefined : to;
  if (path.length === depthMax) {
    if (isEqual(from, to)) return undefined;
    throw tooDeep(path);
  }
  // A merge treats anything but an object as an empty object.
  const source = isRecord(from) ? from : {};
  const patch: JsonRecord = {};
  let isChanged = source !== from;
  for (const key of Object.keys(source)) {
    if (source[key] === undefined || ownValue(to, key) !== undefined) continue;
    safeSet(patch, key, null);
    isChanged = true;
  }
  for (const key of Object.keys(to)) {
    const desired = to[key];
    if (desired === undefined) continue;
    const present = ownValue(source, key);
    path.push(key);
    if (desired === null && present !== null) throw notExpressible(path);
    const change = difference(present, desired, path);
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
    problem: `the difference is nested deeper than ${depthMax} levels`,
    path: formatPointer(path),
  });
}
