import { sizeOf } from "../values/size-of.ts";
import { CelOpaque, type CelValue } from "../values/value.ts";
import { comparingOverloads, patternFactor, textFactor } from "./rules.ts";

/** Returns the cost of a call, given its arguments. */
export type CallCostOf = (args: readonly CelValue[]) => number;

/** Returns the cost function of a standard overload: 1 for most, the size of what is traversed for others. */
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

/** Returns the cost of matching. 1 is added to the size of the string, so that an expensive pattern is not free on an empty string. */
function matchCost([text = null, pattern = null]: readonly CelValue[]): number {
  return Math.ceil((1 + sizeOf(text)) * textFactor) * Math.ceil(sizeOf(pattern) * patternFactor);
}

function equalityCost(args: readonly CelValue[]): number {
  // Comparing values of opaque types costs 1, whatever their size.
  return args[0] instanceof CelOpaque ? 1 : comparisonCost(args);
}

/** Returns the cost of a comparison, which ends with the shorter side. */
function comparisonCost([left = null, right = null]: readonly CelValue[]): number {
  return Math.ceil(Math.min(sizeOf(left), sizeOf(right)) * textFactor);
}
