import type { ElectionOptions } from "./options.ts";
import { LeaseElection } from "./lease-election.ts";
import { safeRules } from "./rules.ts";
import type { ElectionState } from "./state.ts";

/** The participation of one process in a leader election. */
export interface Election {
  /** Current state. */
  readonly state: ElectionState;
  /**
   * Tries to acquire the Lease, leads, and tries again after losing it, until the signal aborts. Then it waits for `lead` to return and
   * releases the Lease.
   *
   * Failed requests are retried without limit. Rejects only with an error of `lead`, after releasing the Lease.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Reports whether this process may send a write now. Reads the clock on every call. */
  mayWrite(): boolean;
  /** Throws a `NotLeaderError` when this process must not send a write. Pass it to `withFence` of the client's transport. */
  checkWrite(): void;
}

/**
 * Elects one leader among several processes by a Lease. Compatible with client-go: processes of both can take part in one election.
 *
 * Two things are different from client-go's leaderelection.go:
 *
 * - A process that loses the lease need not exit. The signal of its term aborts, and it tries to acquire the Lease again.
 * - client-go does not prevent a former leader from writing: after a long pause of the process, requests can be sent before it notices that its
 *   lease has expired. Here, `checkWrite` in the transport checks the clock immediately before each write, and rejects the write as soon as
 *   another process could have acquired the Lease. docs/internals/leader-election.md contains the argument.
 *
 * @example
 * const election = elect({ store, name: "load", namespace: "load-system", identity, clock, random,
 *   lead: async (term) => { await work(term.signal); } });
 * await election.run(signal);
 */
export function elect(options: ElectionOptions): Election {
  return new LeaseElection(options, safeRules);
}
