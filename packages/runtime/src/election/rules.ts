import { isSameRecord, type LeaseRecord } from "./record.ts";

/** The time from which a leader must not write any more, on both clocks of its process. The earlier one applies. */
export interface Fence {
  /** Time of the monotonic clock. */
  readonly monotonic: number;
  /** Time of day, for machines whose monotonic clock stops while they are suspended. */
  readonly wall: number;
}

/** A point in time on both clocks of a process. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** A successful renewal. */
export interface Renewal {
  /** Time just before the request was sent. */
  readonly started: Moment;
  /** Time at which the response was read. */
  readonly responded: Moment;
  readonly renewDeadlineMs: number;
}

/** A record of the Lease, and since when this process has observed it unchanged. */
export interface Observation {
  readonly record: LeaseRecord;
  /** Time of the own monotonic clock, taken after the response with the record was received. */
  readonly since: number;
}

/** Input of {@link Rules.decide}: the knowledge of a process that has just read the Lease. */
export interface View {
  /** Identity of this process. */
  readonly identity: string;
  readonly seen: Observation;
  /** Current time of the own monotonic clock. */
  readonly monotonic: number;
  /** Current time of day of the own clock. */
  readonly wall: number;
  /** Lease duration that this process is configured with. */
  readonly leaseMs: number;
  /** Records that this process has written, or tried to write, since it acquired the Lease. */
  readonly claim: readonly LeaseRecord[];
}

/** Input of {@link Rules.mayRelease}. */
export interface ReleaseView {
  readonly record: LeaseRecord;
  readonly claim: readonly LeaseRecord[];
  /** True if this process created a missing Lease and is still waiting before it may lead. */
  readonly isWaitingOut: boolean;
}

/** Decision about a Lease that was read. */
export type Decision =
  /** The Lease is ours: write a new renew time. */
  | { readonly do: "renew" }
  /** The Lease is released or expired: write a record of our own. */
  | { readonly do: "acquire" }
  /** Another process holds the Lease; it expires after this time unless it is renewed. */
  | { readonly do: "wait"; readonly forMs: number };

/**
 * The rules that the safety of the election depends on, each a small function.
 *
 * `docs/internals/leader-election.md` explains why they suffice. The simulation replaces each of them by a wrong one and finds two leaders.
 */
export interface Rules {
  /** Returns the time until which a renewal permits writes. */
  fence(renewal: Renewal): Fence;
  /** Reports whether writes are still permitted. Called before every write. */
  isBefore(now: Moment, fence: Fence): boolean;
  /** Decides what to do about the Lease that was read. */
  decide(view: View): Decision;
  /** Reports whether this process wrote a record. */
  isOurs(record: LeaseRecord, claim: readonly LeaseRecord[]): boolean;
  /** Reports whether a record may be replaced by one that marks the Lease as released. */
  mayRelease(options: ReleaseView): boolean;
  /** Returns how long a process that created a missing Lease waits before it leads. */
  waitAfterCreateMs(options: { readonly leaseMs: number; readonly trustMissing: boolean }): number;
}

/** The correct rules. Tests of the simulation use wrong ones. */
export const safeRules: Rules = {
  // Counts from the start of the request. The server stored the record after that, and candidates observed it even later, so their lease
  // duration ends after our deadline. Counting from the response would be wrong: a candidate may have observed the record long before.
  fence: ({ started, renewDeadlineMs }) => ({
    monotonic: started.monotonic + renewDeadlineMs,
    wall: started.wall + renewDeadlineMs,
  }),

  // Both clocks must be before the fence. The wall clock can only make it pass earlier: a jump back does not extend the term.
  isBefore: (now, fence) => now.monotonic < fence.monotonic && now.wall < fence.wall,

  decide(view) {
    const { seen, monotonic, claim } = view;
    if (safeRules.isOurs(seen.record, claim)) return { do: "renew" };
    if (isReleased(seen.record)) return { do: "acquire" };
    const forMs = seen.since + waitMs(view) - monotonic;
    return forMs > 0 ? { do: "wait", forMs } : { do: "acquire" };
  },

  // Compares the whole record. The identity alone is no proof: another client may have written it, or a process with the same identity.
  isOurs: (record, claim) => claim.some((own) => isSameRecord(own, record)),

  // A released Lease may be acquired at once. A process that created a missing Lease must not release it before the former holder's lease
  // duration is over: the next candidate would not wait for that holder.
  mayRelease: ({ record, claim, isWaitingOut }) => !isWaitingOut && safeRules.isOurs(record, claim),

  // A missing Lease means the first start, or that a client deleted it while its holder is still writing. The two cannot be distinguished.
  waitAfterCreateMs: ({ leaseMs, trustMissing }) => (trustMissing ? 0 : leaseMs),
};

/**
 * Reports whether the holder released the Lease itself, which it does after its last write.
 *
 * It then has no holder and a duration of one second, as client-go writes it. If a user only removes the holder by hand, the duration is unchanged,
 * and the holder may not have noticed yet.
 */
export function isReleased({ holder, leaseMs }: LeaseRecord): boolean {
  return holder === "" && leaseMs <= 1000;
}

/**
 * Returns the time that a candidate must wait: the longer of the two durations. The holder may be configured with a longer lease than ours, and the
 * one in the record may have been shortened by hand.
 */
function waitMs({ seen, leaseMs }: View): number {
  return Math.max(seen.record.leaseMs, leaseMs);
}
