// Fields that patches touch, and which of them a policy denies.

import { isList, isRecord, ownValue, ParseError, parsePointer, formatPointer } from "@homeostat/core";
import type { EffectivePolicy } from "./effective-policy.ts";
import { type GuardedField, guardedFields } from "./guarded-fields.ts";

/** A patch of an entry. */
export interface Patch {
  readonly type: "Strategic" | "Merge" | "JSON";
  readonly value: unknown;
}

/** A field that a patch sets or removes. */
export interface TouchedField {
  /** Steps of the JSON pointer. Elements of lists have the position in the patch. */
  readonly pointer: readonly string[];
  /** The new value; undefined if the field is removed. */
  readonly value: unknown;
}

/** A field that a patch touches and a policy denies. */
export interface DeniedField {
  readonly pointer: string;
  /** The guarded field, or `DeniedPath` for a path of `denyPatchPaths`. */
  readonly rule: string;
}

/** Yields every object, list and value that a patch sets, and every field that it removes. */
export function* touchedFields({ type, value }: Patch): Iterable<TouchedField> {
  if (type !== "JSON") yield* fieldsIn([], value);
  else if (isList(value)) for (const operation of value) yield* operationFields(operation);
}

function* operationFields(operation: unknown): Iterable<TouchedField> {
  if (!isRecord(operation) || ownValue(operation, "op") === "test") return;
  const pointer = readSteps(ownValue(operation, "path"));
  const from = readSteps(ownValue(operation, "from"));
  if (pointer !== undefined) yield* fieldsIn(pointer, ownValue(operation, "value"));
  if (from !== undefined && ownValue(operation, "op") === "move") yield { pointer: from, value: undefined };
}

function* fieldsIn(pointer: readonly string[], value: unknown): Iterable<TouchedField> {
  yield { pointer, value };
  const entries = isList(value) ? value.entries() : isRecord(value) ? Object.entries(value) : [];
  for (const [step, each] of entries) yield* fieldsIn([...pointer, String(step)], each);
}

function readSteps(pointer: unknown): string[] | undefined {
  if (typeof pointer !== "string") return undefined;
  try {
    return parsePointer(pointer);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

/**
 * Returns the fields of a patch that a policy denies, each rule once per pointer.
 *
 * The check knows the patch only. The guard that compares the patched workload with its baseline finds what this one cannot see, such as
 * values that several patches make together.
 */
export function deniedFields(
  patch: Patch,
  policy: Pick<EffectivePolicy, "allowPatchPaths" | "denyPatchPaths">,
): readonly DeniedField[] {
  const denied = new Map<string, DeniedField>();
  for (const { pointer, value } of touchedFields(patch)) {
    const rule = denyingRule(pointer, value, policy);
    if (rule === undefined) continue;
    const text = formatPointer(pointer);
    // Children of a denied path are denied with it.
    if ([...denied.values()].some((each) => each.rule === rule && text.startsWith(`${each.pointer}/`))) continue;
    denied.set(`${rule} ${text}`, { pointer: text, rule });
  }
  return [...denied.values()];
}

function denyingRule(
  pointer: readonly string[],
  value: unknown,
  { allowPatchPaths, denyPatchPaths }: Pick<EffectivePolicy, "allowPatchPaths" | "denyPatchPaths">,
): string | undefined {
  if (denyPatchPaths.some((path) => isUnderPath(pointer, path))) return "DeniedPath";
  if (value === undefined || allowPatchPaths.some((path) => isUnderPath(pointer, path))) return undefined;
  return guardedFields.find((field) => isGuarded(field, pointer, value))?.name;
}

function isGuarded(field: GuardedField, pointer: readonly string[], value: unknown): boolean {
  return pointer.length === field.pointer.length && isUnder(pointer, field.pointer) && field.forbids(value);
}

/** Reports whether a pointer is at or below a path of a policy. A path that cannot be parsed contains nothing. */
function isUnderPath(pointer: readonly string[], path: string): boolean {
  const prefix = readSteps(path);
  return prefix !== undefined && isUnder(pointer, prefix);
}

/** Reports whether a pointer is at or below a prefix, whose steps may be `*`. */
export function isUnder(pointer: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length <= pointer.length && prefix.every((step, index) => step === "*" || step === pointer[index]);
}
