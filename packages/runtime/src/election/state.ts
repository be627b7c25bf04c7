import type { TermEnd } from "./errors.ts";
import type { Term } from "./term.ts";

/** Where an election stands. */
export type ElectionState =
  /** Not running: not started yet, or over. */
  | { readonly at: "stopped" }
  /** Watches the Lease. `holder` is who holds it, as far as known. Next: `leading`, or `waiting-out`. */
  | { readonly at: "standing-by"; readonly holder: string | undefined }
  /** Created the Lease that was missing, and waits until nobody who held a deleted one can still write. Next: `leading`. */
  | { readonly at: "waiting-out" }
  /** May write. Next: `stepping-down`. */
  | { readonly at: "leading"; readonly term: Term }
  /** May not write any more, and waits for the work of its term to be put down. Next: `standing-by` or `stopped`. */
  | { readonly at: "stepping-down"; readonly why: TermEnd };

/** Whether two states are the same for whoever looks on. */
export function isSameState(a: ElectionState, b: ElectionState): boolean {
  if (a.at === "standing-by" && b.at === "standing-by") return a.holder === b.holder;
  if (a.at === "leading" && b.at === "leading") return a.term === b.term;
  return a.at === b.at;
}
