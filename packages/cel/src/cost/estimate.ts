import type { CheckedExpr } from "../checker/checked.ts";
import type { CelType } from "../types/type.ts";
import type { Range } from "./model.ts";
import { unknownRange } from "./ranges.ts";

/** How large values can be: for a path from a variable (see `CostNode`), the bounds; `undefined` when not known. */
export type SizeEstimator = (path: readonly string[], type: CelType) => Range | undefined;

/** Bounds of the cost of any evaluation. */
export function estimateCost(_checked: CheckedExpr, _sizes: SizeEstimator): Range {
  return unknownRange;
}
