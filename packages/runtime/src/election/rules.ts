import { isSameRecord, type LeaseRecord } from "./record.ts";

/** A moment after which a leader writes no more, on both clocks of its process. */
export interface Fence {
  /** By the monotonic clock, which counts. */
  readonly monotonic: number;
  /** By the time of day, for machines whose monotonic clock stands still while they are suspended. */
  readonly wall: number;
}

/** The time on both clocks of a process. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** A successful renewal, as its sender saw it. */
export interface Renewal {
  /** Just before the request left. */
  readonly started: Moment;
  /** When the answer was read. */
  readonly answered: Moment;
  readonly renewDeadlineMs: number;
}

/** A record of the Lease, and since when this process has seen it unchanged. */
export interface Observation {
  readonly record: LeaseRecord;
  /** By the own monotonic clock, read after the answer with the record had come. */
  readonly since: number;
}

/** What a candidate that has just read the Lease knows. */
export interface View {
  /** The name of this process. */
  readonly identity: string;
  readonly seen: Observation;
  /** The own monotonic clock. */
  readonly monotonic: number;
  /** The own time of day. */
  readonly wall: number;
  /** The lease duration this process is configured with. */
  readonly leaseMs: number;
  /** The records that this process has written, or has tried to write, since it took the Lease. */
  readonly claim: readonly LeaseRecord[];
}

/** What a process that wants to give the Lease up knows. */
export interface ReleaseView {
  readonly record: LeaseRecord;
  readonly claim: readonly LeaseRecord[];
  /** Whether it created a missing Lease and was not allowed to lead yet. */
  readonly isWaitingOut: boolean;
}

/** What to do about a Lease that was read. */
export type Decision =
  /** It is ours: write a new renew time. */
  | { readonly do: "renew" }
  /** It is free or has run out: take it. */
  | { readonly do: "acquire" }
  /** Another holds it, for so long at least unless it renews. */
  | { readonly do: "wait"; readonly forMs: number };

/**
 * What the safety of election rests on, each rule a small function of its own.
 *
 * Why they suffice is told in `docs/internals/leader-election.md`; the simulation shows what happens without each of them.
 */
export interface Rules {
  /** Until when a renewal allows writes. */
  fence(renewal: Renewal): Fence;
  /** Whether writes are still allowed. Asked before every write. */
  isBefore(now: Moment, fence: Fence): boolean;
  /** What to do about the Lease that was read. */
  decide(view: View): Decision;
  /** Whether a record is one that this process wrote. */
  isOurs(record: LeaseRecord, claim: readonly LeaseRecord[]): boolean;
  /** Whether a record may be replaced by one that says that the Lease is free. */
  mayRelease(options: ReleaseView): boolean;
  /** How long who created a missing Lease waits before it leads. */
  waitAfterCreateMs(options: { readonly leaseMs: number; readonly trustMissing: boolean }): number;
}

/** The rules as they should be. */
export const safeRules: Rules = {
  // From the start of the request: the server stored the record later than that, so whoever watches the record
  // began to count later than we did. The moment of the answer would prove nothing.
  fence: ({ started, renewDeadlineMs }) => ({
    monotonic: started.monotonic + renewDeadlineMs,
    wall: started.wall + renewDeadlineMs,
  }),

  isBefore: (now, fence) => now.monotonic < fence.monotonic && now.wall < fence.wall,

  decide(view) {
    const { seen, monotonic, claim } = view;
    if (safeRules.isOurs(seen.record, claim)) return { do: "renew" };
    if (isReleased(seen.record)) return { do: "acquire" };
    const forMs = seen.since + waitMs(view) - monotonic;
    return forMs > 0 ? { do: "wait", forMs } : { do: "acquire" };
  },

  // Our name alone is no proof: somebody may have put it there, or a process that was started with the same one.
  isOurs: (record, claim) => claim.some((own) => isSameRecord(own, record)),

  // A released Lease is taken at once. While its creator waits for the holder of a deleted one, it is not free.
  mayRelease: ({ record, claim, isWaitingOut }) => !isWaitingOut && safeRules.isOurs(record, claim),

  // Somebody deleted the Lease, perhaps while its holder was writing; or it is the first start ever. Who can tell?
  waitAfterCreateMs: ({ leaseMs, trustMissing }) => (trustMissing ? 0 : leaseMs),
};

/**
 * Whether a holder gave the Lease up itself, which it does after its last write.
 *
 * It then leaves no holder and a duration of a second, as client-go does. A holder that somebody removed by hand leaves
 * the duration as it was, and may not know yet.
 */
export function isReleased({ holder, leaseMs }: LeaseRecord): boolean {
  return holder === "" && leaseMs <= 1000;
}

/** The longer of two durations: of a holder with a longer lease than ours, and ours when the record's was cut by hand. */
function waitMs({ seen, leaseMs }: View): number {
  return Math.max(seen.record.leaseMs, leaseMs);
}
