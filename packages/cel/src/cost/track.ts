import { sizeOf } from "../values/size-of.ts";
import { CelOpaque, type CelValue } from "../values/value.ts";
import { comparingOverloads, patternFactor, textFactor } from "./rules.ts";

/** What a call of a standard overload cost: most cost 1, those that walk a text or list cost what they walk. */
export function standardCallCost(overload: string, args: readonly CelValue[]): number {
  const [first = null, second = null] = args;
  switch (overload) {
    case "starts_with_string":
    case "ends_with_string":
    case "string_to_bytes":
    case "bytes_to_string":
    case "strings_quote":
    case "string_format":
      return Math.ceil(sizeOf(first) * textFactor);
    case "in_list":
      return sizeOf(second);
    case "add_string":
    case "add_bytes":
      return Math.ceil((sizeOf(first) + sizeOf(second)) * textFactor);
    case "matches_string":
      // One more than the text, or an empty text would make an expensive pattern free.
      return Math.ceil((1 + sizeOf(first)) * textFactor) * Math.ceil(sizeOf(second) * patternFactor);
    case "contains_string":
      return Math.ceil(sizeOf(first) * textFactor) * Math.ceil(sizeOf(second) * textFactor);
    default:
      return comparingOverloads.has(overload) ? comparisonCost(overload, first, second) : 1;
  }
}

function comparisonCost(overload: string, left: CelValue, right: CelValue): number {
  // Types of libraries are compared at a flat rate, whatever their size.
  if (overload === "equals" && left instanceof CelOpaque) return 1;
  return Math.ceil(Math.min(sizeOf(left), sizeOf(right)) * textFactor);
}
