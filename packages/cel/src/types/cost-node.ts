import type { CelValue } from "../values/value.ts";
import type { CelType } from "./type.ts";

/** Lower and upper bound of a cost or a size. Both are capped at 2^64. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** A subexpression, as cost estimation sees it. */
export interface CostNode {
  /**
   * Path of the value from a variable: `["self", "spec", "ports", "@items"]`. The steps after the variable are field names,
   * `@items`, `@keys` and `@values`. Undefined for a computed value.
   */
  readonly path: readonly string[] | undefined;
  readonly type: CelType;
  /** The value, if it is a literal. */
  readonly literal: CelValue | undefined;
  /** Size, if it follows from the expression itself. */
  readonly computedSize: Range | undefined;
}
