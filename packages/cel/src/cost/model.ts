import type { CostNode, Range } from "../types/cost-node.ts";
import type { CelValue } from "../values/value.ts";

/** Functions for cost estimates of libraries. */
export interface CostContext {
  /** Returns the size of a subexpression: as computed, else from the size estimator, else unknown (0 to 2^64). */
  size(node: CostNode): Range;
  /** Returns a node for the elements of a list; undefined if the node is not a list. */
  element(list: CostNode): CostNode | undefined;
}

/** Estimated cost of a call, without its arguments. */
export interface CallEstimate {
  readonly cost: Range;
  /** Size of the result, for strings, bytes, lists and maps. */
  readonly resultSize?: Range;
}

/** A call whose cost is estimated. */
export interface EstimatedCall {
  /** Id of the overload. */
  readonly overload: string;
  /** The receiver of a member call. */
  readonly target: CostNode | undefined;
  /** The arguments, without the receiver. */
  readonly args: readonly CostNode[];
}

/**
 * Cost of calls, estimated at compile time and tracked at run time.
 *
 * A function that returns undefined defers to the next one: overload, then function, then the standard rules.
 */
export interface CallCost {
  estimate?(call: EstimatedCall, context: CostContext): CallEstimate | undefined;
  /**
   * Returns the cost of a finished call. `args` starts with the receiver; `overload` is `""` if the checker left several overloads
   * possible.
   */
  track?(args: readonly CelValue[], result: CelValue, overload: string): number | undefined;
}
