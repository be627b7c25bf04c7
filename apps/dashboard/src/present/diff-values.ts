import { isEqual, isList, isRecord } from "@homeostat/core";

/** A changed field: its path, and its value before and after as JSON. */
export interface FieldChange {
  readonly path: string;
  /** Undefined if the field was added. */
  readonly before: string | undefined;
  /** Undefined if the field was removed. */
  readonly after: string | undefined;
}

/** Returns the changed fields between two values, in the order of the fields. Items of lists are compared by name or type, or else by index. */
export function diffValues(before: unknown, after: unknown, path = ""): FieldChange[] {
  if (isEqual(before, after)) return [];
  const [old, current] = [entriesOf(before), entriesOf(after)];
  if (old === undefined || current === undefined) return [{ path, before: textOf(before), after: textOf(after) }];
  const names = [...new Set([...old.keys(), ...current.keys()])];
  return names.flatMap((name) => {
    const separator = path === "" || name.startsWith("[") ? "" : ".";
    return diffValues(old.get(name), current.get(name), `${path}${separator}${name}`);
  });
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/** Returns the fields of an object or the items of a list by name; undefined for other values and empty ones. */
function entriesOf(value: unknown): Map<string, unknown> | undefined {
  if (isList(value) && value.length > 0)
    return new Map(value.map((item, index) => [`[${itemName(item) ?? index}]`, item]));
  return isRecord(value) && Object.keys(value).length > 0 ? new Map(Object.entries(value)) : undefined;
}

function itemName(item: unknown): string | undefined {
  if (!isRecord(item)) return undefined;
  const name = item["name"] ?? item["type"];
  return typeof name === "string" ? name : undefined;
}
