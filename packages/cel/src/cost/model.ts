import type { CelType } from "../types/type.ts";
import type { CelValue } from "../values/value.ts";

/** A lower and an upper bound, of a cost or of a size. Both stop growing at 2^64. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** What the estimate knows about a part of an expression. */
export interface CostNode {
  /**
   * How a value is reached from a variable: `["self", "spec", "ports", "@items"]`. The steps after the variable are
   * field names, `@items`, `@keys` and `@values`. `undefined` when it is computed.
   */
  readonly path: readonly string[] | undefined;
  readonly type: CelType;
  /** The value, when it is written out in the expression. */
  readonly literal: CelValue | undefined;
  /** Its size as far as the expression itself tells. */
  readonly computedSize: Range | undefined;
}

/** What an estimate function may ask. */
export interface CostContext {
  /** The size of a part: as computed, else as the caller's sizes say, else unknown (0 to 2^64). */
  size(node: CostNode): Range;
  /** The elements of a list, as one part; `undefined` when the part is no list. */
  element(list: CostNode): CostNode | undefined;
}

/** The estimated cost of one call, without the cost of its arguments. */
export interface CallEstimate {
  readonly cost: Range;
  /** The size of the result, for strings, bytes, lists and maps. */
  readonly resultSize?: Range;
}

/** One call, as an estimate function sees it. */
export interface EstimatedCall {
  /** The overload under consideration. */
  readonly overload: string;
  /** The receiver of a member call. */
  readonly target: CostNode | undefined;
  /** The arguments, without the receiver. */
  readonly args: readonly CostNode[];
}

/**
 * What calls cost, before and at run time.
 *
 * A hook that answers `undefined` leaves the answer to the next: overload, then function, then the standard rules.
 */
export interface CallCost {
  estimate?(call: EstimatedCall, context: CostContext): CallEstimate | undefined;
  /**
   * The cost of a call that was made. `args` begin with the receiver; `overload` is `""` when the checker left several
   * overloads open.
   */
  track?(args: readonly CelValue[], result: CelValue, overload: string): number | undefined;
}
