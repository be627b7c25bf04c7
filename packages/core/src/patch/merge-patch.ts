import { isRecord, type JsonRecord, ownValue, safeSet } from "../value/record.ts";

/**
 * Applies a JSON Merge Patch (RFC 7386) and returns the result; neither argument is changed.
 *
 * Objects are merged key by key, `null` removes a key, everything else (lists too) replaces. Parts that the patch does
 * not touch are shared with `target`, and lists of the patch with `patch`: treat all of them as read-only.
 *
 * @example
 * applyMergePatch({ a: 1, b: { c: 2, d: 3 } }, { a: null, b: { c: 4 } }); // { b: { c: 4, d: 3 } }
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const root = openCopy(target);
  // A list of work instead of recursion: nesting is the sender's to choose, the stack is not.
  const waiting: { into: JsonRecord; from: JsonRecord }[] = [{ into: root, from: patch }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { into, from } = next;
    for (const key of Object.keys(from)) {
      const change = from[key];
      if (change === undefined) continue;
      if (change === null) delete into[key];
      else if (isRecord(change)) {
        const child = openCopy(ownValue(into, key));
        safeSet(into, key, child);
        waiting.push({ into: child, from: change });
      } else safeSet(into, key, change);
    }
  }
  return root;
}

/** A copy of an object to write into, one level deep; an empty one for anything that is no object. */
function openCopy(value: unknown): JsonRecord {
  return isRecord(value) ? { ...value } : {};
}
