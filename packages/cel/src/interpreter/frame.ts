import { CelAbort } from "../failure.ts";
import type { CelResult } from "../values/value.ts";

/** What one evaluation works with. */
export interface Frame {
  readonly bindings: Readonly<Record<string, CelResult>>;
  /** The variables of comprehensions; `undefined` before their first use. */
  readonly slots: (CelResult | undefined)[];
  readonly costLimit: number;
  /** The cost so far. */
  cost: number;
}

/** One step of a compiled expression. */
export type Step = (frame: Frame) => CelResult;

/** Adds to the cost, and ends the evaluation when it passes its limit. */
export function charge(frame: Frame, cost: number): void {
  frame.cost += cost;
  if (frame.cost > frame.costLimit) throw new CelAbort("operation cancelled: actual cost limit exceeded");
}
