// Differences between two JSON values, with lists of named elements compared by name.

import { isEqual, isList, isRecord, type JsonRecord, ownValue } from "@homeostat/core";

/** One step of a path: a key of an object, or an element of a list with its index and, if it has one, its name. */
export type DiffStep = string | { readonly index: number; readonly key: string | undefined };

/** A value that differs. An absent value is undefined. */
export interface Change {
  readonly steps: readonly DiffStep[];
  readonly old: unknown;
  readonly new: unknown;
}

/** Fields that identify elements of lists in pod templates and Services, in order of preference. */
const elementKeys: readonly string[] = ["name", "mountPath", "containerPort", "port", "ip", "topologyKey", "key"];

/**
 * Returns all differences, sorted as the fields of `before` and then those only in `after`. Empty if and only if the values are equal.
 *
 * Lists whose elements have unique names are compared by name; a different order counts as one change of the list. Other lists are compared as a
 * whole. Recurses, so the caller must limit the depth of untrusted values first.
 */
export function diffValues(before: unknown, after: unknown): Change[] {
  const changes: Change[] = [];
  compare(before, after, [], changes);
  return changes;
}

function compare(before: unknown, after: unknown, steps: readonly DiffStep[], changes: Change[]): void {
  if (isRecord(before) && isRecord(after)) compareRecords(before, after, steps, changes);
  else if (isList(before) && isList(after)) compareLists(before, after, steps, changes);
  else if (!isEqual(before, after)) changes.push({ steps, old: before, new: after });
}

function compareRecords(before: JsonRecord, after: JsonRecord, steps: readonly DiffStep[], changes: Change[]): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    compare(ownValue(before, key), ownValue(after, key), [...steps, key], changes);
  }
}

function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  steps: readonly DiffStep[],
  changes: Change[],
): void {
  const names = elementKeys.map((key) => [namesOf(before, key), namesOf(after, key)] as const);
  const [oldNames, newNames] = names.find(([a, b]) => a !== undefined && b !== undefined) ?? [];
  if (oldNames === undefined || newNames === undefined) {
    if (!isEqual(before, after)) changes.push({ steps, old: before, new: after });
    return;
  }
  const newIndexes = new Map(newNames.map((name, index) => [name, index]));
  const oldIndexes = new Map(oldNames.map((name, index) => [name, index]));
  for (const [index, key] of oldNames.entries()) {
    const newIndex = newIndexes.get(key);
    const step = { index: newIndex ?? index, key };
    compare(before[index], newIndex === undefined ? undefined : after[newIndex], [...steps, step], changes);
  }
  for (const [index, key] of newNames.entries()) {
    if (!oldIndexes.has(key)) changes.push({ steps: [...steps, { index, key }], old: undefined, new: after[index] });
  }
  const kept = newNames.filter((name) => oldIndexes.has(name));
  const order = oldNames.filter((name) => newIndexes.has(name));
  if (!isEqual(kept, order)) changes.push({ steps, old: order, new: kept });
}

/** Returns the names of all elements; undefined if an element has none, or two have the same. */
function namesOf(list: readonly unknown[], key: string): string[] | undefined {
  const names: string[] = [];
  for (const each of list) {
    const name = isRecord(each) ? ownValue(each, key) : undefined;
    if (typeof name !== "string" && typeof name !== "number") return undefined;
    names.push(String(name));
  }
  return new Set(names).size === names.length ? names : undefined;
}

/** Formats steps as a JSON Pointer with indexes. */
export function pointerOf(steps: readonly DiffStep[]): string {
  return steps.map((step) => `/${typeof step === "string" ? escaped(step) : step.index}`).join("");
}

function escaped(step: string): string {
  return step.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Formats steps for humans: `spec.containers[app].env[LOG_LEVEL].value`. */
export function readablePath(steps: readonly DiffStep[]): string {
  return steps.reduce((path: string, step) => {
    if (typeof step !== "string") return `${path}[${step.key ?? step.index}]`;
    if (!/^[\w$-]+$/.test(step)) return `${path}[${step}]`;
    return path === "" ? step : `${path}.${step}`;
  }, "");
}
