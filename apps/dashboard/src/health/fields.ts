import { isList, isRecord, ownValue } from "@homeostat/core";

/** Returns a field of an object that is an object itself. */
export function recordIn(value: unknown, name: string): unknown {
  const field = isRecord(value) ? ownValue(value, name) : undefined;
  return isRecord(field) ? field : undefined;
}

/** Returns the entries of a list; empty if the field is not a list. */
export function listIn(value: unknown, name: string): readonly unknown[] {
  const field = isRecord(value) ? ownValue(value, name) : undefined;
  return isList(field) ? field : [];
}

/** Returns a text field; empty if there is none. */
export function textIn(value: unknown, name: string): string {
  const field = isRecord(value) ? ownValue(value, name) : undefined;
  return typeof field === "string" ? field : "";
}

/** Returns a number field. */
export function numberIn(value: unknown, name: string): number | undefined {
  const field = isRecord(value) ? ownValue(value, name) : undefined;
  return typeof field === "number" ? field : undefined;
}
