// Selectors as text, for the subresource `scale`.

import { InvalidSelectorError, isRecord, type JsonRecord, labelSelectorFrom } from "@homeostat/core";
import { entriesAt, valueAt } from "../../values/fields.ts";

/** Returns `spec.selector`, a label selector, as text; empty when it is absent or invalid. */
export function labelSelectorText(object: JsonRecord): string {
  const selector = valueAt(object, "spec", "selector");
  if (!isRecord(selector)) return "";
  try {
    return labelSelectorFrom(selector).toString();
  } catch (error) {
    if (!(error instanceof InvalidSelectorError)) throw error;
    return "";
  }
}

/** Returns `spec.selector`, a map of labels, as text. */
export function mapSelectorText(object: JsonRecord): string {
  return entriesAt(object, "spec", "selector")
    .map(([key, value]) => `${key}=${String(value)}`)
    .toSorted()
    .join(",");
}
