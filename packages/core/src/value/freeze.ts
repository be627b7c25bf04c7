import type { DeepReadonly } from "../objects/object.ts";
import { isList, isRecord } from "./record.ts";

/** Past this depth values wait on a list instead of the call stack, so that no nesting overflows it. */
const recursionMax = 200;

/**
 * Freezes a JSON-like value and everything in it, and returns the same value, typed as read-only.
 *
 * An object that is frozen already is taken to be frozen all the way down and is not entered again, so freezing a
 * value that shares parts with a frozen one costs only its new parts. Any depth is fine, and so are cycles.
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
  // Bytes are no JSON, and Object.freeze throws for them.
  if (!Array.isArray(value) && ArrayBuffer.isView(value)) return;
  // Read first: a frozen object is slower to list. Frozen before its children, so that a cycle ends here.
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

/** What of a value may have to be frozen, too. Most objects hold nothing but texts and numbers, and need no list for that. */
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
