// The order of merged lists: as the patch wants it, then as it was, each as far as it says.

import { isRecord, ownValue } from "@homeostat/core";
import { printGo } from "../codec/go-text.ts";
import { ServerPatchError } from "./patch-failure.ts";

/** Which of two lists each element belongs to. */
export interface Partition {
  /** Elements that the other list names. */
  readonly named: unknown[];
  readonly others: unknown[];
}

/** What an element is known by: its merge key, or itself when there is none. */
function identityOf(element: unknown, mergeKey: string, isOfMaps: boolean): unknown {
  if (!isOfMaps) return element;
  return isRecord(element) ? ownValue(element, mergeKey) : undefined;
}

/** Divides elements by whether `by` has one of the same identity. */
export function partition(list: readonly unknown[], by: readonly unknown[], mergeKey: string): Partition {
  const named: unknown[] = [];
  const others: unknown[] = [];
  if (mergeKey === "") {
    const known = new Set(by);
    for (const each of list) (known.has(each) ? named : others).push(each);
    return { named, others };
  }
  const known = keysOf(by, mergeKey);
  for (const each of list) {
    if (!isRecord(each)) throw wrongType("map[string]interface {}", each);
    const key = ownValue(each, mergeKey);
    if (key === undefined) throw noMergeKey(each, mergeKey);
    if (known.mistake !== undefined && !known.keys.has(key)) throw known.mistake;
    (known.keys.has(key) ? named : others).push(each);
  }
  return { named, others };
}

/** The merge keys of a list, up to the first element that has none because it is no object. */
function keysOf(list: readonly unknown[], mergeKey: string): { keys: Set<unknown>; mistake?: ServerPatchError } {
  const keys = new Set<unknown>();
  for (const [index, each] of list.entries()) {
    if (!isRecord(each)) return { keys, mistake: unknown(`value for key ${index} is not a map`) };
    const key = ownValue(each, mergeKey);
    if (key !== undefined) keys.add(key);
  }
  return { keys };
}

/** What the order of a merged list follows. */
export interface Orders {
  readonly patchOrder: readonly unknown[];
  readonly serverOrder: readonly unknown[];
  readonly mergeKey: string;
  readonly isOfMaps: boolean;
}

/** Puts merged elements in order: what the patch names in its order, the rest where it stood before. */
export function orderElements({ named, others }: Partition, orders: Orders): unknown[] {
  const { serverOrder } = orders;
  const right = inOrder(named, orders.patchOrder, orders);
  const left = inOrder(others, serverOrder, orders);
  const rank = ranker(serverOrder, orders);
  const result: unknown[] = [];
  let i = 0;
  for (const each of right) {
    const theirs = rank(each);
    for (; i < left.length; i += 1) {
      const mine = rank(left[i]);
      if (mine < 0 || theirs < 0 || mine >= theirs) break;
      result.push(left[i]);
    }
    result.push(each);
  }
  return [...result, ...left.slice(i)];
}

/** A list in the order of another; what is to be deleted comes last. */
function inOrder(list: readonly unknown[], order: readonly unknown[], orders: Orders): unknown[] {
  if (orders.isOfMaps) {
    checkMergeKeys(list, orders.mergeKey);
    checkMergeKeys(order, orders.mergeKey);
  }
  const rank = ranker(order, orders);
  const isDeleted = (each: unknown): boolean =>
    orders.isOfMaps && isRecord(each) && ownValue(each, "$patch") === "delete";
  const kept = list.filter((each) => !isDeleted(each)).map((element) => ({ element, rank: rank(element) }));
  kept.sort((a, b) => (a.rank < 0 || b.rank < 0 ? 0 : a.rank - b.rank));
  return [...kept.map(({ element }) => element), ...list.filter(isDeleted)];
}

function checkMergeKeys(list: readonly unknown[], mergeKey: string): void {
  for (const each of list) {
    if (!isRecord(each)) throw wrongType("map[string]interface {}", each);
    if (!Object.hasOwn(each, mergeKey)) throw noMergeKey(each, mergeKey);
  }
}

/** Where in an order an element stands, by its identity; -1 when it does not. */
function ranker(order: readonly unknown[], { mergeKey, isOfMaps }: Orders): (element: unknown) => number {
  const ranks = new Map<unknown, number>();
  order.forEach((each, index) => {
    const identity = identityOf(each, mergeKey, isOfMaps);
    if (!ranks.has(identity)) ranks.set(identity, index);
  });
  return (element) => ranks.get(identityOf(element, mergeKey, isOfMaps)) ?? -1;
}

/** What is said of an element without the key that its list is merged by. */
export function noMergeKey(element: Record<string, unknown>, mergeKey: string): ServerPatchError {
  return unknown(`map: ${printGo(element)} does not contain declared merge key: ${mergeKey}`);
}

/** What is said of a value that is neither an object nor a list where one must stand. */
export function wrongType(expected: string, value: unknown): ServerPatchError {
  return unknown(`expected a ${expected}, but received a ${goTypeName(value)}`);
}

/** The Go type that a JSON value has on the real server. */
export function goTypeName(value: unknown): string {
  if (value === null || value === undefined) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    default:
      return "map[string]interface {}";
  }
}

function unknown(message: string): ServerPatchError {
  return new ServerPatchError("unknown", message);
}
