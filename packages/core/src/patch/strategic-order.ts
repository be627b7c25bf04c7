// Order of merged lists: elements in the patch follow the order of the patch, the others keep their order on the
// server.

import { isRecord, ownValue } from "../value/record.ts";
import { type StrategicPatchError, unknownFailure } from "./strategic-error.ts";

/** Elements of a list, split by whether another list contains them. */
export interface Partition {
  /** Elements that the other list contains. */
  readonly named: unknown[];
  readonly others: unknown[];
}

/** Returns the identity of an element: its merge key, or the element itself in a list of primitive values. */
function identityOf(element: unknown, mergeKey: string, hasMaps: boolean): unknown {
  if (!hasMaps) return element;
  return isRecord(element) ? ownValue(element, mergeKey) : undefined;
}

/** Splits a list by whether `by` contains an element with the same identity. */
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
    if (known.error !== undefined && !known.keys.has(key)) throw known.error;
    (known.keys.has(key) ? named : others).push(each);
  }
  return { named, others };
}

/** Returns the merge keys of a list, and the error for the first element that is not an object. */
function keysOf(list: readonly unknown[], mergeKey: string): { keys: Set<unknown>; error?: StrategicPatchError } {
  const keys = new Set<unknown>();
  for (const [index, each] of list.entries()) {
    if (!isRecord(each)) return { keys, error: unknownFailure(`value for key ${index} is not a map`) };
    const key = ownValue(each, mergeKey);
    if (key !== undefined) keys.add(key);
  }
  return { keys };
}

/** Orders that a merged list follows. */
export interface Orders {
  readonly patchOrder: readonly unknown[];
  readonly serverOrder: readonly unknown[];
  readonly mergeKey: string;
  readonly hasMaps: boolean;
}

/** Sorts merged elements: those in the patch in its order, the others at their previous position relative to them. */
export function orderElements({ named, others }: Partition, orders: Orders): unknown[] {
  const { serverOrder } = orders;
  const right = inOrder(named, orders.patchOrder, orders);
  const left = inOrder(others, serverOrder, orders);
  const rank = ranker(serverOrder, orders);
  const result: unknown[] = [];
  let i = 0;
  for (const each of right) {
    const rightRank = rank(each);
    for (; i < left.length; i += 1) {
      const leftRank = rank(left[i]);
      if (leftRank < 0 || rightRank < 0 || leftRank >= rightRank) break;
      result.push(left[i]);
    }
    result.push(each);
  }
  return [...result, ...left.slice(i)];
}

/** Sorts a list by the order of another. Elements with a delete directive come last. */
function inOrder(list: readonly unknown[], order: readonly unknown[], orders: Orders): unknown[] {
  if (orders.hasMaps) {
    checkMergeKeys(list, orders.mergeKey);
    checkMergeKeys(order, orders.mergeKey);
  }
  const rank = ranker(order, orders);
  const isDeleted = (each: unknown): boolean =>
    orders.hasMaps && isRecord(each) && ownValue(each, "$patch") === "delete";
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

/** Returns a function that finds the position of an element in an order by its identity; -1 if it is not in it. */
function ranker(order: readonly unknown[], { mergeKey, hasMaps }: Orders): (element: unknown) => number {
  const ranks = new Map<unknown, number>();
  order.forEach((each, index) => {
    const identity = identityOf(each, mergeKey, hasMaps);
    if (!ranks.has(identity)) ranks.set(identity, index);
  });
  return (element) => ranks.get(identityOf(element, mergeKey, hasMaps)) ?? -1;
}

/** Returns the error for an element without its merge key. */
export function noMergeKey(element: Record<string, unknown>, mergeKey: string): StrategicPatchError {
  return unknownFailure("map: ", { value: element }, ` does not contain declared merge key: ${mergeKey}`);
}

/** Returns the error for a value of the wrong type. */
export function wrongType(expected: string, value: unknown): StrategicPatchError {
  return unknownFailure(`expected a ${expected}, but received a ${goTypeName(value)}`);
}

/** Returns the Go type of a JSON value in kube-apiserver. */
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
