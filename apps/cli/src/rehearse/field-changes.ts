// Differences between two versions of an object, in a form that people read.

import { isEqual, isRecord } from "@homeostat/core";

/** A field that differs. */
export interface FieldChange {
  /** `spec.template.spec.containers[ingest].image`. */
  readonly path: string;
  /** Undefined if the field was added. */
  readonly before: unknown;
  /** Undefined if the field was removed. */
  readonly after: unknown;
}

/** Metadata that the API server sets, and finalizers, which say nothing about what is desired. */
const serverMetadata: ReadonlySet<string> = new Set([
  "creationTimestamp",
  "finalizers",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "selfLink",
  "uid",
]);

/** Returns the fields that differ, without the status and the metadata that the API server sets. */
export function fieldChanges(before: object, after: object): readonly FieldChange[] {
  return [...changesBetween(desiredFields(before), desiredFields(after), "")];
}

/** Returns a line for a change: `spec.replicas: 3 -> 5`; several for a text of several lines. */
export function describeChange({ path, before, after }: FieldChange): readonly string[] {
  if (typeof before === "string" && typeof after === "string" && (before.includes("\n") || after.includes("\n")))
    return lineChanges(before, after).map((line) => `${path}: ${line}`);
  return [`${path}: ${describeValue(before)} -> ${describeValue(after)}`];
}

const valueLengthMax = 100;
/** Characters before a difference that are shown. */
const contextLength = 40;

function describeValue(value: unknown): string {
  if (value === undefined) return "(none)";
  // A digest says only that it changed.
  const text =
    typeof value === "string" && /^[0-9a-f]{16,}$/.test(value) ? `${value.slice(0, 8)}...` : JSON.stringify(value);
  return text.length <= valueLengthMax ? text : `${text.slice(0, valueLengthMax)}...`;
}

/** Returns the removed and added lines of a text: `- a = 1`, `+ a = 2`. Lines that only moved are left out. */
function lineChanges(before: string, after: string): readonly string[] {
  const removed = without(before.split("\n"), after.split("\n"));
  const added = without(after.split("\n"), before.split("\n"));
  if (removed.length + added.length === 0) return ["lines in another order"];
  return [
    ...removed.map((line, index) => `- ${excerpt(line, added[index] ?? "")}`),
    ...added.map((line, index) => `+ ${excerpt(line, removed[index] ?? "")}`),
  ];
}

/** Returns the part of a long line that differs from another one. */
function excerpt(line: string, other: string): string {
  const text = line.trim();
  if (text.length <= valueLengthMax) return text;
  const counterpart = other.trim();
  let common = 0;
  while (common < counterpart.length && text[common] === counterpart[common]) common += 1;
  const start = common > contextLength ? common - contextLength : 0;
  const end = start + valueLengthMax;
  return `${start > 0 ? "..." : ""}${text.slice(start, end)}${end < text.length ? "..." : ""}`;
}

/** Returns the lines that the other list does not have, with their number of occurrences. */
function without(lines: readonly string[], other: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const line of other) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    if (count > 0) left.set(line, count - 1);
    return count === 0;
  });
}

function desiredFields(object: object): Readonly<Record<string, unknown>> {
  const { status: _status, metadata, ...rest } = { status: undefined, metadata: undefined, ...object };
  const own: object = isRecord(metadata) ? metadata : {};
  return { ...rest, metadata: Object.fromEntries(Object.entries(own).filter(([name]) => !serverMetadata.has(name))) };
}

function* changesBetween(before: unknown, after: unknown, path: string): Iterable<FieldChange> {
  if (isEqual(before, after)) return;
  const former = entriesOf(before);
  const present = entriesOf(after);
  if (former === undefined || present === undefined) return yield { path, before, after };
  for (const key of new Set([...former.keys(), ...present.keys()]))
    yield* changesBetween(former.get(key), present.get(key), joined(path, key, Array.isArray(after)));
}

/** Returns the fields of a record, or the items of a list by their name; undefined for any other value. */
function entriesOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (!Array.isArray(value)) return isRecord(value) ? new Map(Object.entries(value)) : undefined;
  const items: readonly unknown[] = value;
  const names = items.map((item) => (isRecord(item) && typeof item["name"] === "string" ? item["name"] : undefined));
  const isNamed = names.every((name) => name !== undefined) && new Set(names).size === names.length;
  if (isNamed) return new Map(items.map((item, index) => [names[index] ?? "", item]));
  // Items of other lists have no identity, so the list is shown as a whole unless all of them are objects.
  return items.every(isRecord) ? new Map(items.map((item, index) => [String(index), item])) : undefined;
}

function joined(path: string, key: string, isItem: boolean): string {
  if (isItem || !/^[\w-]+$/.test(key)) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}
