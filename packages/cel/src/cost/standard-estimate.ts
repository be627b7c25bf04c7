import type { CallEstimate, EstimatedCall } from "./model.ts";
import type { CostNode, Range } from "../types/cost-node.ts";
import { add, exactly, multiply, scale, unbounded, unknownRange } from "./ranges.ts";
import { comparingOverloads, patternFactor, textFactor } from "./rules.ts";

/** Returns the estimate of standard overloads whose cost depends on their arguments; undefined for others. */
export function standardEstimate({ overload, target, args }: EstimatedCall): CallEstimate | undefined {
  const [first, second] = args;
  switch (overload) {
    case "string_format":
      return target && { cost: scale(sizeOf(target), textFactor) };
    case "string_to_bytes":
      // A character has up to four bytes in UTF-8.
      return onePass(first, (size) => ({ min: size.min, max: Math.min(size.max * 4, unbounded) }));
    case "bytes_to_string":
      return onePass(first, (size) => ({ min: Math.floor(size.min / 4), max: size.max }));
    case "strings_quote":
      return onePass(first, (size) => ({ min: size.min + 2, max: Math.min(size.max * 2 + 2, unbounded) }));
    case "starts_with_string":
    case "ends_with_string":
      return { cost: scale(sizeOf(first), textFactor) };
    case "in_list":
      return { cost: scale(sizeOf(second), 1) };
    case "matches_string":
      return target && { cost: matchCost(sizeOf(target), sizeOf(first)) };
    case "contains_string":
      return target && { cost: multiply(scale(sizeOf(target), textFactor), scale(sizeOf(first), textFactor)) };
    case "add_list": {
      return { cost: exactly(1), resultSize: add(sizeOf(first), sizeOf(second)) };
    }
    case "add_string":
    case "add_bytes": {
      const resultSize = add(sizeOf(first), sizeOf(second));
      return { cost: scale(resultSize, textFactor), resultSize };
    }
    default:
      return comparingOverloads.has(overload) ? { cost: comparisonCost(sizeOf(first), sizeOf(second)) } : undefined;
  }
}

function sizeOf(node: CostNode | undefined): Range {
  return node?.computedSize ?? unknownRange;
}

function onePass(node: CostNode | undefined, resultSize: (size: Range) => Range): CallEstimate | undefined {
  if (node === undefined) return undefined;
  const size = sizeOf(node);
  return { cost: scale(size, textFactor), resultSize: resultSize(size) };
}

/** Returns the cost of matching. 1 is added to the size of the string, so that an expensive pattern is not free on an empty string. */
export function matchCost(text: Range, pattern: Range): Range {
  return multiply(scale(add(text, exactly(1)), textFactor), scale(pattern, patternFactor));
}

/** Returns the cost of a comparison, which ends with the shorter side. */
function comparisonCost(left: Range, right: Range): Range {
  const max = Math.min(left.max, right.max);
  return scale({ min: max > 0 ? 1 : 0, max }, textFactor);
}
