import { formatMicroTime, isEqual, microsFromMs } from "@homeostat/core";
import type { Lease } from "@homeostat/kubernetes/coordination/v1";

/** What a Lease says about who holds it: the part of it that election reads and writes. */
export interface LeaseRecord {
  /** Who holds it; empty when nobody does. */
  readonly holder: string;
  /** How long others wait after they saw the record change last. 0 when the Lease does not say. */
  readonly leaseMs: number;
  /** When the holder got it, as text: times of another machine are compared for being the same, never for being later. */
  readonly acquireTime: string;
  /** When the holder renewed it last, as text. */
  readonly renewTime: string;
  /** How often it went from one holder to another. */
  readonly transitions: number;
}

/** The largest number of transitions that fits: the field has 32 bits. */
const transitionsMax = 2 ** 31 - 1;

/** Reads the record of a Lease. What is missing or makes no sense is empty or 0. */
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

/** The Lease with another record. All else in it, known to us or not, stays, its resource version and UID included. */
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

/** Whether two records are the same in all they say. */
export function isSameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return isEqual(a, b);
}

/** The number of transitions after one more. */
export function nextTransition(transitions: number): number {
  return Math.min(transitions + 1, transitionsMax);
}

/**
 * The time of day for a record, unlike the time it replaces.
 *
 * Others see that we live by the change of the record. A clock that stands still, or is set back to the very
 * microsecond of the last renewal, must not make two renewals look like one.
 */
export function recordTime(nowMs: number, replaced: string): string {
  const micros = microsFromMs(nowMs);
  const text = formatMicroTime(micros);
  return text === replaced ? formatMicroTime(micros + 1n) : text;
}

function positive(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? value : 0;
}
