import { isRecord, type JsonRecord, ownValue, safeSet } from "../value/record.ts";

/**
 * Applies a JSON Merge Patch (RFC 7386) and returns the result. Neither argument is changed.
 *
 * Objects are merged key by key, `null` removes a key, and everything else, including lists, is replaced. The result shares
 * unchanged parts with `target` and lists with `patch`, so treat all of them as readonly.
 *
 * @example
 * applyMergePatch({ a: 1, b: { c: 2, d: 3 } }, { a: null, b: { c: 4 } }); // { b: { c: 4, d: 3 } }
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const root = openCopy(target);
  // A work list instead of recursion: a deeply nested patch must not overflow the stack.
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

/** Returns a shallow copy of an object, or an empty object for anything else. */
function openCopy(value: unknown): JsonRecord {
  return isRecord(value) ? { ...value } : {};
}
