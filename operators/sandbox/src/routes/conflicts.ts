// Conflicts: several sandboxes of one route group override the same baseline Service.

import { compareText } from "./keys.ts";

/** The rule that decides between sandboxes of the same priority. */
export type ConflictPolicy = "Oldest" | "Newest" | "Reject";

/** A matched sandbox that overrides the Service in question. */
export interface Candidate {
  readonly name: string;
  readonly priority: number;
  readonly createdAt: string;
}

/** The result for one group and one Service. */
export interface Resolution<T extends Candidate> {
  /** The sandbox that gets the requests. Undefined if there is no candidate, or if the policy rejects them. */
  readonly winner: T | undefined;
  /** Candidates that get no requests, in the order of the rules. */
  readonly losers: readonly T[];
}

/**
 * Chooses between candidates: the highest priority wins, then the creation time according to the policy, then the name.
 *
 * With `Reject`, no candidate wins if several have the highest priority. A candidate with a priority above all others wins with
 * every policy, because its owner has resolved the conflict.
 */
export function resolveConflict<T extends Candidate>(candidates: readonly T[], policy: ConflictPolicy): Resolution<T> {
  const [first, ...others] = candidates.toSorted((a, b) => compareCandidates(a, b, policy));
  const [second] = others;
  if (first === undefined) return { winner: undefined, losers: [] };
  const isRejected = policy === "Reject" && second !== undefined && second.priority === first.priority;
  return isRejected ? { winner: undefined, losers: [first, ...others] } : { winner: first, losers: others };
}

function compareCandidates(a: Candidate, b: Candidate, policy: ConflictPolicy): number {
  const byAge = compareText(a.createdAt, b.createdAt);
  return b.priority - a.priority || (policy === "Newest" ? -byAge : byAge) || compareText(a.name, b.name);
}
