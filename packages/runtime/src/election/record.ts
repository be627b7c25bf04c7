import { formatMicroTime, isEqual, microsFromMs } from "@homeostat/core";
import type { Lease } from "@homeostat/kubernetes/coordination/v1";

/** The part of a Lease that the election reads and writes. */
export interface LeaseRecord {
  /** Identity of the holder; empty when there is none. */
  readonly holder: string;
  /** Milliseconds that candidates wait after they observed the last change of the record; 0 when the Lease has no duration. */
  readonly leaseMs: number;
  /** Time of the acquisition, unparsed: times of another machine are compared for equality only, never for their order. */
  readonly acquireTime: string;
  /** Time of the last renewal, unparsed. */
  readonly renewTime: string;
  /** Number of changes of the holder. */
  readonly transitions: number;
}

/** Maximum of `leaseTransitions`, an int32. */
const transitionsMax = 2 ** 31 - 1;

/** Returns the record of a Lease. Missing and invalid fields become empty or 0. */
export function readRecord({ spec = {} }: Lease): LeaseRecord {
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = spec;
  return {
    holder: holderIdentity ?? "",
    leaseMs: positive(leaseDurationSeconds) * 1000,
    acquireTime: acquireTime ?? "",
    renewTime: renewTime ?? "",
    transitions: Math.min(Math.trunc(positive(leaseTransitions)), transitionsMax),
  };
}

/** Returns the Lease with another record. All other fields are kept, including unknown ones, the resource version and the UID. */
export function withRecord(lease: Lease, record: LeaseRecord): Lease {
  return {
    ...lease,
    spec: {
      ...lease.spec,
      holderIdentity: record.holder,
      leaseDurationSeconds: record.leaseMs / 1000,
      acquireTime: record.acquireTime,
      renewTime: record.renewTime,
      leaseTransitions: record.transitions,
    },
  };
}

/** Reports whether two records are equal in all fields. */
export function isSameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return isEqual(a, b);
}

/** Returns the number of transitions after one more, limited to the range of the field. */
export function nextTransition(transitions: number): number {
  return Math.min(transitions + 1, transitionsMax);
}

/**
 * Returns the current time for a record, always different from the time that it replaces.
 *
 * Candidates recognize a live holder by changes of the record. A clock that does not advance, or was set back to exactly the microsecond of the
 * last renewal, must not make two renewals look like one.
 */
export function recordTime(nowMs: number, replaced: string): string {
  const micros = microsFromMs(nowMs);
  const text = formatMicroTime(micros);
  return text === replaced ? formatMicroTime(micros + 1n) : text;
}

function positive(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? value : 0;
}
