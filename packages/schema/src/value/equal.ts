import { isRecord } from "@homeostat/core";

/**
 * Reports whether two JSON values are equal, as the API server compares them. Not recursive, so any nesting depth is safe.
 *
 * Unlike `isEqual`, it treats a `number` and a `bigint` of the same value as equal: a JSON parser that preserves large integers
 * may return either.
 */
export function equalJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  const pending: unknown[] = [left, right];
  while (pending.length > 0) {
    const b = pending.pop();
    const a = pending.pop();
    if (a === b) continue;
    if (Array.isArray(a)) {
      if (!Array.isArray(b) || a.length !== b.length) return false;
      for (let index = 0; index < a.length; index++) pending.push(a[index], b[index]);
    } else if (isRecord(a)) {
      if (!isRecord(b)) return false;
      const keys = Object.keys(a);
      if (keys.length !== Object.keys(b).length) return false;
      for (const key of keys) {
        if (!Object.hasOwn(b, key)) return false;
        pending.push(a[key], b[key]);
      }
    } else if (!equalScalars(a, b)) return false;
  }
  return true;
}

/** Reports whether two scalars are equal. Compares across `number` and `bigint`. */
function equalScalars(a: unknown, b: unknown): boolean {
  const isNumeric = (value: unknown): boolean => typeof value === "number" || typeof value === "bigint";
  // oxlint-disable-next-line eqeqeq -- the only comparison that looks across number and bigint
  return isNumeric(a) && isNumeric(b) && a == b;
}
