import type { FoundKey, KeyStep } from "../key/key-steps.ts";
import type { FailedCondition } from "../table/conditions.ts";
import type { CompiledRoute } from "../table/compile-table.ts";
import type { StickyBy } from "../table/route-table.ts";

/** Reason why a request goes to the baseline. */
export type BaselineReason =
  /** The request has no key. */
  | "no-key"
  /** No table of this proxy has the key. The sandbox may be deleted, or belong to another namespace. */
  | "unknown-key"
  /** The sandbox of the key has no workload for this port of the Service. */
  | "no-entry"
  /** The request meets the conditions of no route. */
  | "condition"
  /** The request is in the share that the baseline serves. */
  | "percent"
  /** The workload has no ready target, and its route says Baseline. */
  | "unavailable"
  /** The kubelet probes the container of the baseline. */
  | "probe";

/** Destination of a request. */
export type Decision =
  | BaselineDecision
  /** The request goes to one of the targets of the route. */
  | {
      readonly type: "entry";
      readonly key: FoundKey;
      readonly route: CompiledRoute;
      /** Addresses to choose from; never empty. */
      readonly targets: readonly string[];
      /** Fault to inject into this request. */
      readonly fault: FaultPlan | undefined;
    }
  | FailDecision
  /** The request waits for a ready target. After the timeout, {@link endHold} decides. */
  | HoldDecision;

/** The request goes to the baseline. */
export interface BaselineDecision {
  readonly type: "baseline";
  readonly reason: BaselineReason;
  readonly key: FoundKey | undefined;
  /** Route that was considered last, if the reason is `percent` or `unavailable`. */
  readonly route: CompiledRoute | undefined;
}

/** The request fails: the workload has no ready target. */
export interface FailDecision {
  readonly type: "unavailable";
  readonly action: "Fail";
  readonly key: FoundKey;
  readonly route: CompiledRoute;
}

/** The request waits for a ready target. */
export interface HoldDecision {
  readonly type: "unavailable";
  readonly action: "Hold";
  readonly key: FoundKey;
  readonly route: CompiledRoute;
  readonly holdMs: number;
  /** Reaction when no target is ready in time. */
  readonly afterHold: "Baseline" | "Fail";
}

/** A delay before forwarding, a response instead of forwarding, or both. */
export interface FaultPlan {
  readonly delayMs: number;
  readonly abortCode: number | undefined;
  readonly abortGrpcStatus: number | undefined;
}

/** A step of a decision, for explanations. */
export type DecisionStep =
  | KeyStep
  | { readonly step: "probe" }
  | { readonly step: "lookup"; readonly key: string; readonly routes: number; readonly isKnown: boolean }
  /** A route that the request does not meet a condition of. */
  | { readonly step: "passed-over"; readonly route: CompiledRoute; readonly condition: FailedCondition }
  /** A split by percent. `bucket` below `share` goes to the route. */
  | {
      readonly step: "split";
      readonly route: CompiledRoute;
      readonly stickyBy: StickyBy;
      readonly bucket: number;
      readonly share: number;
    }
  | { readonly step: "taken"; readonly route: CompiledRoute }
  | { readonly step: "targets"; readonly route: CompiledRoute; readonly unhealthy: readonly string[] };

/** Decides about a request that was held until its time was over. */
export function endHold({ key, route, afterHold }: HoldDecision): BaselineDecision | FailDecision {
  if (afterHold === "Baseline") return { type: "baseline", reason: "unavailable", key, route };
  return { type: "unavailable", action: "Fail", key, route };
}
