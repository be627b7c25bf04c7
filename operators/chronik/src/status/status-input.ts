// The input of the status, and the types that its parts share.

import type { ConditionValue, DeepReadonly, StatusPlan } from "homeostat";
import { cutText } from "@homeostat/core";
import type { ChronikCluster, ClusterStatus } from "../api/chronik-cluster.ts";
import type { Component } from "../api/identity.ts";
import { type ConditionType, messageLengthMax, type Reason } from "../api/status.ts";
import type { ResolvedCluster } from "../build/resolve.ts";
import type { SearchSlot } from "../build/search-slots.ts";
import type { CertificateDecision } from "../decide/certificates.ts";
import type { ClosedGate } from "../decide/gates.ts";
import type { Restart } from "../decide/next-restart.ts";
import type { StepDecision } from "../decide/plan.ts";
import type { Observed, ObservedCertificate, SearchColor } from "../observe/observed.ts";
import type { ClusterWarning } from "../validation/warnings.ts";
import type { Progress } from "./progress.ts";

/** Fields of the status. */
export type Fields = StatusPlan<ChronikCluster>["fields"];

/** Conditions of the status. An undefined one is removed. */
export type Conditions = { readonly [C in ConditionType]?: ConditionValue<Reason<C>> | undefined };

/** Everything that the status of a reconcile without error depends on. */
export interface StatusInput {
  readonly resolved: ResolvedCluster;
  readonly generation: number;
  readonly now: number;
  readonly operatorVersion: string;
  /** The status before the reconcile. */
  readonly previous: DeepReadonly<ClusterStatus>;
  readonly observed: Observed;
  readonly progress: Progress;
  readonly desired: Readonly<Record<Component, number>>;
  readonly decision: StepDecision;
  readonly bootstrapped: boolean;
  readonly configHash: Readonly<Partial<Record<Component, string>>>;
  /** Messages about missing prerequisites. */
  readonly missing: readonly string[];
  readonly warnings: readonly ClusterWarning[];
  readonly volumes: {
    readonly condition: ConditionValue<Reason<"VolumesResized">>;
    readonly resizing: number;
    readonly larger: readonly string[];
    readonly isRecreating: boolean;
  };
  readonly search: {
    readonly slots: readonly SearchSlot[];
    readonly selected: SearchColor;
    readonly switchedAt: number | undefined;
    /** Closed gate that a new pod template of search nodes waits for. */
    readonly closed: ClosedGate | undefined;
  };
  /** The restart that this reconcile performed. */
  readonly restart: Restart | undefined;
  /** Closed gate Budget: the API server refused the eviction. */
  readonly refusedByBudget: { readonly restart: Restart; readonly message: string } | undefined;
  readonly externalAddresses: readonly string[];
  readonly certificate:
    | { readonly decision: CertificateDecision; readonly found: ObservedCertificate | undefined }
    | undefined;
}

/** Cuts a text to the length that messages of the status may have. */
export function cut(text: string): string {
  return cutText(text, messageLengthMax);
}
