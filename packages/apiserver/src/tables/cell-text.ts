// Formatting of cell values that many kinds share, with the texts of `pkg/printers/internalversion` in Kubernetes.

import {
  humanDuration,
  isQuantity,
  labelSelectorFrom,
  type LabelSelectorObject,
  parseQuantity,
  parseTime,
} from "@homeostat/core";
import { entriesAt, isSet, listAt, textAt, valueAt } from "../values/fields.ts";

/** Returns the time since a timestamp: `5m`, or `<unknown>` when there is none. */
export function since(time: unknown, nowMs: number): string {
  const ms = instantMs(time);
  return ms === undefined ? "<unknown>" : humanDuration(nowMs - ms);
}

/** Returns a timestamp in milliseconds since 1970, or undefined when it is missing or invalid. */
export function instantMs(time: unknown): number | undefined {
  if (typeof time !== "string" || time === "") return undefined;
  try {
    return parseTime(time);
  } catch {
    return undefined;
  }
}

/** Returns the age of an object: `5m`. */
export function age(object: unknown, nowMs: number): string {
  return since(valueAt(object, "metadata", "creationTimestamp"), nowMs);
}

/** Returns the name of an object; empty when it has none. */
export function nameOf(object: unknown): string {
  return textAt(object, "metadata", "name");
}

/** Returns the names and images of the containers of a pod template, each joined by commas. */
export function containerCells(template: unknown): [names: string, images: string] {
  const containers = listAt(template, "spec", "containers");
  return [
    containers.map((container) => textAt(container, "name")).join(","),
    containers.map((container) => textAt(container, "image")).join(","),
  ];
}

/** Returns the labels at a path as `a=1,b=2`, sorted, or `<none>`. */
export function labelText(object: unknown, ...path: readonly string[]): string {
  const entries = entriesAt(object, ...path).map(([key, value]) => `${key}=${String(value)}`);
  return entries.length === 0 ? "<none>" : entries.toSorted().join(",");
}

/** Returns the label selector at a path as text; `none` for an empty one, `invalid` for one that cannot be parsed. */
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

/** Returns a quantity in its canonical form; `0` when there is none. */
export function quantityText(value: unknown): string {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && isQuantity(text) ? parseQuantity(text).toString() : "0";
}

/** Returns the first `max` texts, followed by `+ 2 more...` when there are more. */
export function firstTexts(texts: readonly string[], max: number, separator = ","): string {
  const shown = texts.slice(0, max).join(separator);
  return texts.length > max ? `${shown} + ${texts.length - max} more...` : shown;
}

/** Returns a text, or `word` when it is empty. */
export function textOr(text: string, word: string): string {
  return text === "" ? word : text;
}

/** Returns the value of an optional field as text, or `word` when it is not set. */
export function setOr(object: unknown, path: readonly string[], word: string): string {
  return isSet(object, ...path) ? String(valueAt(object, ...path)) : word;
}

/** Reports whether the condition of this type has the status `True`. Only the first one of the type counts. */
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
