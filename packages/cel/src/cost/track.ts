import { sizeOf } from "../values/size-of.ts";
import { CelOpaque, type CelValue } from "../values/value.ts";
import { comparingOverloads, patternFactor, textFactor } from "./rules.ts";

/** What a call cost, given its arguments. */
export type CallCostOf = (args: readonly CelValue[]) => number;

/** What calls of a standard overload cost: most cost 1, those that walk a text or list cost what they walk. */
export function standardCallCost(overload: string): CallCostOf {
  switch (overload) {
    case "starts_with_string":
    case "ends_with_string":
    case "string_to_bytes":
    case "bytes_to_string":
    case "strings_quote":
    case "string_format":
      return ([text = null]) => Math.ceil(sizeOf(text) * textFactor);
    case "in_list":
      return ([, list = null]) => sizeOf(list);
    case "add_string":
    case "add_bytes":
      return ([left = null, right = null]) => Math.ceil((sizeOf(left) + sizeOf(right)) * textFactor);
    case "matches_string":
      return matchCost;
    case "contains_string":
      return ([text = null, part = null]) =>
        Math.ceil(sizeOf(text) * textFactor) * Math.ceil(sizeOf(part) * textFactor);
    case "equals":
      return equalityCost;
    default:
      return comparingOverloads.has(overload) ? comparisonCost : () => 1;
  }
}

/** One more than the text, or an empty text would make an expensive pattern free. */
function matchCost([text = null, pattern = null]: readonly CelValue[]): number {
  return Math.ceil((1 + sizeOf(text)) * textFactor) * Math.ceil(sizeOf(pattern) * patternFactor);
}

function equalityCost(args: readonly CelValue[]): number {
  // Types of libraries are compared at a flat rate, whatever their size.
  return args[0] instanceof CelOpaque ? 1 : comparisonCost(args);
}

/** A comparison ends with the shorter side. */
function comparisonCost([left = null, right = null]: readonly CelValue[]): number {
  return Math.ceil(Math.min(sizeOf(left), sizeOf(right)) * textFactor);
}
