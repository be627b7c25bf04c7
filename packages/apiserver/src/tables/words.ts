// The turns of phrase that many cells share.

import {
  humanDuration,
  isQuantity,
  labelSelectorFrom,
  type LabelSelectorObject,
  parseQuantity,
  parseTime,
} from "@homeostat/core";
import { entriesAt, isSet, listAt, textAt, valueAt } from "../values/fields.ts";

/** How long ago a time was, as `5m` or `<unknown>`. */
export function since(time: unknown, nowMs: number): string {
  const ms = instantMs(time);
  return ms === undefined ? "<unknown>" : humanDuration(nowMs - ms);
}

/** A time in milliseconds since 1970, or undefined where it is none. */
export function instantMs(time: unknown): number | undefined {
  if (typeof time !== "string" || time === "") return undefined;
  try {
    return parseTime(time);
  } catch {
    return undefined;
  }
}

/** How old an object is. */
export function age(object: unknown, nowMs: number): string {
  return since(valueAt(object, "metadata", "creationTimestamp"), nowMs);
}

/** The name of an object. */
export function nameOf(object: unknown): string {
  return textAt(object, "metadata", "name");
}

/** Names and images of the containers of a pod template. */
export function containerCells(template: unknown): [names: string, images: string] {
  const containers = listAt(template, "spec", "containers");
  return [
    containers.map((container) => textAt(container, "name")).join(","),
    containers.map((container) => textAt(container, "image")).join(","),
  ];
}

/** Labels as `a=1,b=2` in order, or `<none>`. */
export function labelText(object: unknown, ...path: readonly string[]): string {
  const entries = entriesAt(object, ...path).map(([key, value]) => `${key}=${String(value)}`);
  return entries.length === 0 ? "<none>" : entries.toSorted().join(",");
}

/** A label selector as text; `none` is what an empty one is called. */
export function selectorText(
  object: unknown,
  options: { none: string; invalid: string },
  ...path: readonly string[]
): string {
  try {
    const text = labelSelectorFrom(selectorObject(valueAt(object, ...path))).toString();
    return text === "" ? options.none : text;
  } catch {
    return options.invalid;
  }
}

function selectorObject(value: unknown): LabelSelectorObject | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return {
    matchLabels: Object.fromEntries(entriesAt(value, "matchLabels").map(([key, text]) => [key, String(text)])),
    matchExpressions: listAt(value, "matchExpressions").map((each) => ({
      key: textAt(each, "key"),
      operator: textAt(each, "operator"),
      values: listAt(each, "values").map(String),
    })),
  };
}

/** A quantity in its shortest form; `0` where there is none. */
export function quantityText(value: unknown): string {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && isQuantity(text) ? parseQuantity(text).toString() : "0";
}

/** The first `max` texts, and how many more there are. */
export function someOf(texts: readonly string[], max: number, separator = ","): string {
  const shown = texts.slice(0, max).join(separator);
  return texts.length > max ? `${shown} + ${texts.length - max} more...` : shown;
}

/** A text, or what stands for an absent one. */
export function orWord(text: string, word: string): string {
  return text === "" ? word : text;
}

/** The value of a pointer-like field as text, or what stands for an absent one. */
export function setOr(object: unknown, path: readonly string[], word: string): string {
  return isSet(object, ...path) ? String(valueAt(object, ...path)) : word;
}

/** Whether a condition of this type has the status `True`. Only the first of its type counts. */
export function isTrue(conditions: readonly unknown[], type: string): boolean {
  return (
    textAt(
      conditions.find((condition) => textAt(condition, "type") === type),
      "status",
    ) === "True"
  );
}

/** Returns the number of entries in a map. */
export function countOf(object: unknown, ...path: readonly string[]): number {
  return entriesAt(object, ...path).length;
}
