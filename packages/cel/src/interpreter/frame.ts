import { CelAbort } from "../failure.ts";
import type { CelResult } from "../values/value.ts";

/** The state of one evaluation. */
export interface Frame {
  readonly bindings: Readonly<Record<string, CelResult>>;
  /** Variables of comprehensions; undefined before their first use. */
  readonly slots: (CelResult | undefined)[];
  readonly costLimit: number;
  /** Accumulated cost. */
  cost: number;
}

/** A step of a compiled expression. */
export type Step = (frame: Frame) => CelResult;

/** Adds to the cost. Throws a `CelAbort` if it exceeds the limit. */
export function charge(frame: Frame, cost: number): void {
  frame.cost += cost;
  if (frame.cost > frame.costLimit) throw new CelAbort("operation cancelled: actual cost limit exceeded");
}
