import type { ElectionOptions } from "./options.ts";
import { LeaseElection } from "./lease-election.ts";
import { safeRules } from "./rules.ts";
import type { ElectionState } from "./state.ts";

/** One process's part in the election of a leader. */
export interface Election {
  /** Where it stands now. */
  readonly state: ElectionState;
  /**
   * Stands for election, leads, stands again, until the signal aborts; then puts the work down and gives the Lease up.
   *
   * Failures of the server end nothing: it goes on trying. Rejects only with what `lead` threw, after giving the Lease up.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Whether a write may leave this process now, by the clock at the moment of the call. */
  mayWrite(): boolean;
  /** Throws `NotLeaderError` when no write may leave now: the check that the fence of the client's transport takes. */
  checkWrite(): void;
}

/**
 * Takes part in electing one leader among processes, by means of a Lease, together with others that use client-go.
 *
 * Everything but the work of the leader runs while standing by. Whoever stops leading does not exit: it stands again.
 * Give `checkWrite` to the transport, and no write leaves this process once another could lead.
 *
 * @example
 * const election = elect({ store, name: "load", namespace: "load-system", identity, clock, random,
 *   lead: async (term) => { await work(term.signal); } });
 * await election.run(signal);
 */
export function elect(options: ElectionOptions): Election {
  return new LeaseElection(options, safeRules);
}
