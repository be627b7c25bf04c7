import { canonicalJson, jsonText } from "./canonical-json.ts";
import { compareBytes } from "../codec/go-text.ts";
import { compareValues } from "./value-order.ts";
import { doubleNumber, type NumberText, pathValue, plainNumber } from "./value-text.ts";

/** A key field of a list item. */
export interface KeyField {
  readonly name: string;
  readonly value: unknown;
}

/**
 * One step of a path: from a value to a part of it.
 *
 * `text` is its form in a `FieldsV1`; two elements are equal exactly if their texts are. Elements parsed from a
 * `FieldsV1` (`isRead`) show their numbers differently in messages, see `doubleNumber`.
 */
export type PathElement =
  /** A field of a map or struct. */
  | { readonly kind: "field"; readonly text: string; readonly name: string }
  /** An item of a list of maps, identified by key fields in the order of their names. */
  | { readonly kind: "key"; readonly text: string; readonly fields: readonly KeyField[]; readonly isRead?: boolean }
  /** An item of a list of scalars, identified by its value. */
  | { readonly kind: "value"; readonly text: string; readonly value: unknown; readonly isRead?: boolean }
  /** An item at a list index. The format defines it, but the API server never writes it. */
  | { readonly kind: "index"; readonly text: string; readonly index: number };

/** The path from an object to one of its parts. */
export type Path = readonly PathElement[];

/** Returns the element of a field. */
export function fieldElement(name: string): PathElement {
  return { kind: "field", text: `f:${name}`, name };
}

/** Returns the element of a list item with the given key fields, in any order. */
export function keyElement(fields: readonly KeyField[]): Extract<PathElement, { kind: "key" }> {
  const sorted = fields.map(({ name, value }) => ({ name, value: asDouble(value) }));
  if (sorted.length > 1) sorted.sort((a, b) => compareBytes(a.name, b.name));
  const members = sorted.map(({ name, value }) => `${jsonText(name)}:${canonicalJson(value)}`);
  return { kind: "key", text: `k:{${members.join(",")}}`, fields: sorted };
}

/** Returns the element of an item of a set. */
export function valueElement(value: unknown): Extract<PathElement, { kind: "value" }> {
  const double = asDouble(value);
  return { kind: "value", text: `v:${canonicalJson(double)}`, value: double };
}

/** Field sets hold only doubles, so an item with a larger integer is identified by the nearest double. */
function asDouble(value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}

/** Returns the element of a list index. */
export function indexElement(index: number): PathElement {
  return { kind: "index", text: `i:${index}`, index };
}

const ranks: Readonly<Record<PathElement["kind"], number>> = { field: 0, key: 1, value: 2, index: 3 };

/** Orders elements as a `FieldsV1` does: fields, keys, values, indexes. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a.kind === "field" && b.kind === "field") return compareBytes(a.name, b.name);
  if (a.kind === "key" && b.kind === "key") return compareKeys(a.fields, b.fields);
  if (a.kind === "value" && b.kind === "value") return compareValues(a.value, b.value);
  if (a.kind === "index" && b.kind === "index") return a.index - b.index;
  return ranks[a.kind] - ranks[b.kind];
}

function compareKeys(a: readonly KeyField[], b: readonly KeyField[]): number {
  for (const [at, left] of a.entries()) {
    const right = b[at];
    if (right === undefined) return 1;
    const order = compareBytes(left.name, right.name) || compareValues(left.value, right.value);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Formats an element as messages do: `.spec`, `[name="a",port=80]`, `[="x"]`, `[3]`. */
export function elementText(element: PathElement): string {
  switch (element.kind) {
    case "field":
      return `.${element.name}`;
    case "key": {
      const numberText = numberTextOf(element);
      return `[${element.fields.map(({ name, value }) => `${name}=${pathValue(value, numberText)}`).join(",")}]`;
    }
    case "value":
      return `[=${pathValue(element.value, numberTextOf(element))}]`;
    case "index":
      return `[${element.index}]`;
  }
}

function numberTextOf({ isRead = false }: { readonly isRead?: boolean }): NumberText {
  return isRead ? doubleNumber : plainNumber;
}

/** Formats a path as messages do: `.spec.ports[name="http"].port`. */
export function pathText(path: Path): string {
  return path.map((element) => elementText(element)).join("");
}
