import { isList, isPlainRecord, type JsonRecord, safeSet } from "./record.ts";

/** Beyond this depth values are put on a work list instead of the call stack, so that nesting cannot overflow it. */
const recursionMax = 200;

/** A value that is not copied yet, and a function that stores its copy. */
interface Waiting {
  readonly source: object;
  readonly store: (copied: unknown) => void;
}

/**
 * Returns a deep copy of a JSON-like value: arrays and plain objects are copied at every depth, everything else is shared.
 *
 * The copy is not frozen, keeps the order of keys, and treats keys such as `__proto__` as data. Instances of classes are shared, not
 * copied. Values must not contain cycles.
 */
export function deepClone<T>(value: T): T;
export function deepClone(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const waiting: Waiting[] = [];
  const root = copy(value, 0, waiting);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) next.store(copy(next.source, 0, waiting));
  return root;
}

function copy(value: object, depth: number, waiting: Waiting[]): unknown {
  if (isList(value)) return copyList(value, depth, waiting);
  return isPlainRecord(value) ? copyRecord(value, depth, waiting) : value;
}

function copyList(source: readonly unknown[], depth: number, waiting: Waiting[]): unknown[] {
  const target: unknown[] = [];
  for (let i = 0; i < source.length; i += 1) {
    const child = source[i];
    if (typeof child !== "object" || child === null) target.push(child);
    else if (depth < recursionMax) target.push(copy(child, depth + 1, waiting));
    else {
      target.push(undefined);
      waiting.push({ source: child, store: (copied) => (target[i] = copied) });
    }
  }
  return target;
}

// Object.keys instead of `for in`, which would also copy enumerable properties of Object.prototype.
function copyRecord(source: JsonRecord, depth: number, waiting: Waiting[]): JsonRecord {
  const target: JsonRecord = {};
  const keys = Object.keys(source);
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i];
    if (key === undefined) continue;
    const child = source[key];
    if (typeof child !== "object" || child === null) safeSet(target, key, child);
    else if (depth < recursionMax) safeSet(target, key, copy(child, depth + 1, waiting));
    else {
      safeSet(target, key, undefined);
      waiting.push({ source: child, store: (copied) => safeSet(target, key, copied) });
    }
  }
  return target;
}
