import { ArgumentError, type Clock, type Random, uuid } from "@homeostat/core";
import type { ElectionState } from "./state.ts";
import type { LeaseStore } from "./lease-store.ts";
import type { Term } from "./term.ts";

/** What counts the life of an election; see {@link ElectionMetrics} for the one that shows it to Prometheus. */
export interface ElectionMeter {
  /** Whether this process leads now. */
  leading(isLeading: boolean): void;
  /** A renewal had to read the Lease first, because the last known version of it was not the current one. */
  slowPath(): void;
}

/** Options of `elect`. Durations are client-go's unless told otherwise. */
export interface ElectionOptions {
  readonly store: LeaseStore;
  /** The name of the Lease. */
  readonly name: string;
  /** The namespace of the Lease. */
  readonly namespace: string;
  /** The name of this process, which no other one has, not even this one after a restart: see {@link electionIdentity}. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * The work of the leader, called once for each term. It puts its work down and returns when `term.signal` aborts; until
   * then this process neither gives the Lease up nor leads again. When it throws, the election ends with that error.
   */
  readonly lead?: (term: Term) => Promise<void>;
  /** How long others wait after the last renewal they saw. Whole seconds. Default 15,000. */
  readonly leaseDurationMs?: number;
  /** How long after the start of its last successful renewal the leader still writes. Default 10,000. */
  readonly renewDeadlineMs?: number;
  /** How often the leader renews and the others look, at most. Default 2,000. */
  readonly retryPeriodMs?: number;
  /** How long one request may take. Default: half of `renewDeadlineMs`. */
  readonly requestTimeoutMs?: number;
  /**
   * Whether who finds no Lease leads as soon as it has created one. Default false: it waits for the lease duration first,
   * since the Lease may have been deleted while its holder works. Set it where that cannot be, in tests for example.
   */
  readonly trustMissing?: boolean;
  readonly meter?: ElectionMeter;
  /** Told of every change of state. Must not throw. */
  readonly onState?: (state: ElectionState) => void;
  /** Told of every request that failed, other than by finding the Lease changed. Election goes on. Must not throw. */
  readonly onError?: (error: unknown) => void;
}

/** The durations of an election, checked. */
export interface Durations {
  readonly leaseMs: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
  readonly requestTimeoutMs: number;
}

/** Checks what was given and fills in the rest. Throws `ArgumentError`. */
export function durationsOf(options: ElectionOptions): Durations {
  const { leaseDurationMs: leaseMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs: retryMs = 2_000 } = options;
  const { requestTimeoutMs = renewDeadlineMs / 2 } = options;
  // A second means that the holder has given up; a holder that means to stay needs more.
  check("leaseDurationMs", Number.isInteger(leaseMs / 1000) && leaseMs >= 2000 && leaseMs <= 3_600_000, {
    value: leaseMs,
    rule: "must be whole seconds, from 2,000 to 3,600,000",
  });
  check("renewDeadlineMs", renewDeadlineMs < leaseMs, {
    value: renewDeadlineMs,
    rule: `must be less than leaseDurationMs (${leaseMs}), with room for clocks that differ and writes under way`,
  });
  check("retryPeriodMs", retryMs > 0 && retryMs * 1.2 < renewDeadlineMs, {
    value: retryMs,
    rule: `must be above 0, and less than renewDeadlineMs (${renewDeadlineMs}) by a fifth of itself at least`,
  });
  check("requestTimeoutMs", requestTimeoutMs > 0 && requestTimeoutMs <= renewDeadlineMs, {
    value: requestTimeoutMs,
    rule: `must be above 0 and at most renewDeadlineMs (${renewDeadlineMs})`,
  });
  for (const argument of ["identity", "name", "namespace"] as const) {
    if (options[argument] === "") throw new ArgumentError({ argument, problem: "is empty; give it a name." });
  }
  return { leaseMs, renewDeadlineMs, retryMs, requestTimeoutMs };
}

/** A name for this process in elections: that of the pod or host, and a random part that no restart repeats. */
export function electionIdentity(host: string, random: Random): string {
  return `${host}_${uuid(random)}`;
}

function check(argument: string, holds: boolean, { value, rule }: { value: number; rule: string }): void {
  if (!holds) throw new ArgumentError({ argument, problem: `is ${value}; it ${rule}.` });
}
