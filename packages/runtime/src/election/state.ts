import type { TermEnd } from "./errors.ts";
import type { Term } from "./term.ts";

/** State of an election. */
export type ElectionState =
  /** Not started yet, or ended. */
  | { readonly at: "stopped" }
  /** Reads the Lease periodically. `holder` is the observed holder; undefined before the first read. Next: `leading` or `waiting-out`. */
  | { readonly at: "standing-by"; readonly holder: string | undefined }
  /** Created a missing Lease, and waits until a possible former holder cannot write any more. Next: `leading`. */
  | { readonly at: "waiting-out" }
  /** May write. Next: `stepping-down`. */
  | { readonly at: "leading"; readonly term: Term }
  /** Must not write any more, and waits for `lead` to return. Next: `standing-by` or `stopped`. */
  | { readonly at: "stepping-down"; readonly why: TermEnd };

/** Reports whether two states are equal for observers, so that no change is reported. */
export function isSameState(a: ElectionState, b: ElectionState): boolean {
  if (a.at === "standing-by" && b.at === "standing-by") return a.holder === b.holder;
  if (a.at === "leading" && b.at === "leading") return a.term === b.term;
  return a.at === b.at;
}
