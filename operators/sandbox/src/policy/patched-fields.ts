// Fields that patches set or remove, derived from the patches alone. The guard in `build/` checks the effect of a patch on a concrete workload.

import { isList, isRecord, ownValue, ParseError, parsePointer } from "@homeostat/core";

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

/** Reports whether a pointer is at or below a prefix, whose steps may be `*`. */
export function isUnder(pointer: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length <= pointer.length && prefix.every((step, index) => step === "*" || step === pointer[index]);
}
