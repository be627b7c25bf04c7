import { ArgumentError, type Clock, type Random, uuid } from "@homeostat/core";
import type { ElectionState } from "./state.ts";
import type { LeaseStore } from "./lease-store.ts";
import type { Term } from "./term.ts";

/** Receiver of election metrics; {@link ElectionMetrics} exports them to Prometheus. */
export interface ElectionMeter {
  /** Called when this process starts or stops leading. */
  leading(isLeading: boolean): void;
  /** Called when a renewal has to read the Lease first, because its last known version is outdated. */
  slowPath(): void;
}

/** Options of `elect`. The default durations are those of client-go. */
export interface ElectionOptions {
  readonly store: LeaseStore;
  /** Name of the Lease. */
  readonly name: string;
  /** Namespace of the Lease. */
  readonly namespace: string;
  /** Unique identity of this process. It must change with a restart; see {@link electionIdentity}. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Called once per term. It must stop its work and return when `term.signal` aborts; until then this process neither releases the Lease nor
   * leads again. When it throws, the election ends with that error.
   */
  readonly lead?: (term: Term) => Promise<void>;
  /** Milliseconds that candidates wait after the last renewal they observed. Whole seconds. Default: 15,000. */
  readonly leaseDurationMs?: number;
  /** Milliseconds after the start of its last successful renewal for which the leader may write. Default: 10,000. */
  readonly renewDeadlineMs?: number;
  /** Maximum interval at which the leader renews and candidates read the Lease, in milliseconds. Default: 2,000. */
  readonly retryPeriodMs?: number;
  /** Timeout of one request, in milliseconds. Default: half of `renewDeadlineMs`. */
  readonly requestTimeoutMs?: number;
  /**
   * True if a process that creates a missing Lease leads at once. Default: false; it waits for the lease duration first, because the Lease
   * may have been deleted while its holder is still writing. Set it where the Lease cannot be deleted, for example in tests.
   */
  readonly trustMissing?: boolean;
  readonly meter?: ElectionMeter;
  /** Called on every change of the state. Must not throw. */
  readonly onState?: (state: ElectionState) => void;
  /** Called for every failed request, except for conflicts with other candidates. The election continues. Must not throw. */
  readonly onError?: (error: unknown) => void;
}

/** Validated durations of an election, in milliseconds. */
export interface Durations {
  readonly leaseMs: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
  readonly requestTimeoutMs: number;
}

/** Validates the options and adds defaults. Throws an `ArgumentError`. */
export function durationsOf(options: ElectionOptions): Durations {
  const { leaseDurationMs: leaseMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs: retryMs = 2_000 } = options;
  const { requestTimeoutMs = renewDeadlineMs / 2 } = options;
  // One second is reserved: together with an empty holder, it marks a released Lease.
  check("leaseDurationMs", Number.isInteger(leaseMs / 1000) && leaseMs >= 2000 && leaseMs <= 3_600_000, {
    value: leaseMs,
    rule: "must be a multiple of 1,000, between 2,000 and 3,600,000",
  });
  check("renewDeadlineMs", renewDeadlineMs < leaseMs, {
    value: renewDeadlineMs,
    rule: `must be less than leaseDurationMs (${leaseMs}), with a margin for clock differences and requests in flight`,
  });
  check("retryPeriodMs", retryMs > 0 && retryMs * 1.2 < renewDeadlineMs, {
    value: retryMs,
    rule: `must be greater than 0, and 1.2 times its value must be less than renewDeadlineMs (${renewDeadlineMs})`,
  });
  check("requestTimeoutMs", requestTimeoutMs > 0 && requestTimeoutMs <= renewDeadlineMs, {
    value: requestTimeoutMs,
    rule: `must be greater than 0 and at most renewDeadlineMs (${renewDeadlineMs})`,
  });
  for (const argument of ["identity", "name", "namespace"] as const) {
    if (options[argument] === "") throw new ArgumentError({ argument, problem: "is empty; set it." });
  }
  return { leaseMs, renewDeadlineMs, retryMs, requestTimeoutMs };
}

/** Returns an identity for this process: the name of the pod or host, and a random part that is different after every restart. */
export function electionIdentity(host: string, random: Random): string {
  return `${host}_${uuid(random)}`;
}

function check(argument: string, isValid: boolean, { value, rule }: { value: number; rule: string }): void {
  if (!isValid) throw new ArgumentError({ argument, problem: `is ${value}; it ${rule}.` });
}
