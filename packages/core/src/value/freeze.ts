import type { DeepReadonly } from "./deep-readonly.ts";
import { isList, isRecord } from "./record.ts";

/** Beyond this depth values are put on a work list instead of the call stack, so that nesting cannot overflow it. */
const recursionMax = 200;

/**
 * Freezes a JSON-like value and everything in it. Returns the same value, typed as readonly.
 *
 * An object that is already frozen is assumed to be frozen at every depth and is skipped, so freezing a value that shares parts with
 * a frozen one costs only its new parts. Values may have any depth, and may contain cycles.
 */
export function deepFreeze<T>(value: T): DeepReadonly<T>;
export function deepFreeze(value: unknown): unknown {
  if (!isFreezable(value)) return value;
  const waiting: object[] = [];
  freeze(value, 0, waiting);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) freeze(next, 0, waiting);
  return value;
}

function freeze(value: object, depth: number, waiting: object[]): void {
  // Typed arrays are not JSON, and Object.freeze throws for them.
  if (!Array.isArray(value) && ArrayBuffer.isView(value)) return;
  // List the children first, because listing a frozen object is slower. Freeze before the children, so that a cycle ends here.
  const children = childrenOf(value);
  Object.freeze(value);
  for (let i = 0; i < children.length; i += 1) {
    const child = children[i];
    if (!isFreezable(child)) continue;
    if (depth === recursionMax) waiting.push(child);
    else freeze(child, depth + 1, waiting);
  }
}

const none: readonly never[] = [];

/** Returns the children that may have to be frozen. Most objects contain only strings and numbers, and need no list. */
function childrenOf(value: object): readonly unknown[] {
  if (!isRecord(value)) return isList(value) ? value : none;
  let children: unknown[] | undefined;
  for (const key in value) {
    const child = value[key];
    if (typeof child === "object" && child !== null && Object.hasOwn(value, key)) (children ??= []).push(child);
  }
  return children ?? none;
}

function isFreezable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Object.isFrozen(value);
}
