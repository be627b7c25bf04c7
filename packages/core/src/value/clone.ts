import { isList, isPlainRecord, type JsonRecord, safeSet } from "./record.ts";

/** Past this depth values wait on a list instead of the call stack, so that no nesting overflows it. */
const recursionMax = 200;

/** A value still to be copied, and where its copy belongs. */
interface Waiting {
  readonly source: object;
  readonly place: (copied: unknown) => void;
}

/**
 * Copies a JSON-like value: arrays and plain objects anew, however deep; everything else as it is.
 *
 * The copy is never frozen, keeps the order of keys, and has no prototype trouble with keys such as `__proto__`.
 * Instances of classes are shared, not copied. A value that contains itself is not JSON and must not be passed.
 */
export function deepClone<T>(value: T): T;
export function deepClone(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const waiting: Waiting[] = [];
  const root = copy(value, 0, waiting);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) next.place(copy(next.source, 0, waiting));
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
      waiting.push({ source: child, place: (copied) => (target[i] = copied) });
    }
  }
  return target;
}

// Keys are listed, not looped over with `for in`: that would copy what somebody put on Object.prototype.
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
      waiting.push({ source: child, place: (copied) => safeSet(target, key, copied) });
    }
  }
  return target;
}
