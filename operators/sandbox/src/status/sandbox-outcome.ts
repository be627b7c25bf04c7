// The outcome of one reconcile of a sandbox, from which its status is derived.

import type { Drift, EntryMode, EntryState, SandboxReason, SandboxStatus } from "../api/sandbox.ts";
import type { Lifetime } from "../decide/expiry.ts";
import type { ProgrammedRoutes } from "../decide/programmed.ts";
import type { DeepReadonly } from "@homeostat/core";
import type { EndpointOutcome } from "./endpoints.ts";

/** Errors that a retry cannot resolve. */
export type PermanentReason = Extract<
  SandboxReason<"ForksReady">,
  | "InvalidSpec"
  | "PolicyDenied"
  | "BaselineMissing"
  | "InvalidReference"
  | "PatchFailed"
  | "PatchForbidden"
  | "LabelsMatchBaseline"
  | "QuotaExceeded"
  | "ProvisionFailed"
  | "ReadyTimeoutExceeded"
  | "Forbidden"
>;

export interface PermanentProblem {
  readonly reason: PermanentReason;
  readonly message: string;
}

/** A Service of the baseline and the Service of the fork that replaces it. */
export interface ServiceOutcome {
  readonly baseline: string;
  readonly fork: string | undefined;
  readonly ports: readonly {
    readonly port: number;
    readonly targetPort: number | string | undefined;
    readonly protocol: string;
    readonly routable: boolean;
  }[];
}

/** The state of a baseline at one time. */
export interface BaselineState {
  readonly uid?: string | undefined;
  readonly generation: number;
  readonly templateHash: string;
}

/** The state of one entry. */
export interface EntryOutcome {
  readonly name: string;
  readonly mode: EntryMode;
  readonly state: EntryState;
  readonly message: string | undefined;
  /** An error that prevents the entry from working. */
  readonly problem: PermanentProblem | undefined;
  /** True if a fork runs, even if it differs from the desired one. */
  readonly isRunning: boolean;
  readonly forkName: string | undefined;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly services: readonly ServiceOutcome[];
  readonly missingPorts: readonly string[];
  readonly endpoint: string | undefined;
  readonly baseline: BaselineState | undefined;
  readonly forkedFrom: BaselineState | undefined;
  readonly drift: Drift | undefined;
  /** Explanation of a drift other than InSync. */
  readonly driftReason: SandboxReason<"BaselineInSync"> | undefined;
  /** Problems that do not prevent the entry from working. */
  readonly warnings: readonly { readonly reason: "VolumeMayBlock"; readonly message: string }[];
}

export type QuotaVerdict =
  | { readonly isWithin: true }
  | {
      readonly isWithin: false;
      readonly reason: Exclude<SandboxReason<"WithinQuota">, "Pending" | "WithinQuota">;
      readonly message: string;
    };

/** Everything that a status is derived from. Times in milliseconds since the epoch. */
export interface SandboxOutcome {
  readonly generation: number;
  readonly previous: DeepReadonly<SandboxStatus> | undefined;
  readonly routingKey: string;
  readonly ownsKey: boolean;
  readonly createdBy: string | undefined;
  readonly lifetime: Lifetime;
  readonly lastActivityAt: number | undefined;
  /** A Service that does not propagate the key; undefined if none was found. */
  readonly lostKey?: LostKey | undefined;
  readonly specChangedAt: number;
  readonly now: number;
  readonly isSuspended: boolean;
  /** An error of the sandbox as a whole. */
  readonly problem: PermanentProblem | undefined;
  /** State of the provision hook that runs; undefined if all are done. */
  readonly provisioning: string | undefined;
  readonly entries: readonly EntryOutcome[];
  readonly quota: QuotaVerdict;
  readonly routes: ProgrammedRoutes;
  readonly routeGroups: readonly string[];
  readonly usage: { readonly cpu: string; readonly memory: string; readonly pods: number };
  /** The same in cores and bytes, for metrics. */
  readonly amounts: { readonly cpu: number; readonly memory: number; readonly pods: number };
  readonly endpoints: readonly EndpointOutcome[];
}

/** A Service that calls another one without the key of the sandbox. */
export interface LostKey {
  readonly from: string;
  readonly to: string;
  readonly count: number;
  readonly traceId: string;
}
