import type { BaselineReason, DecisionStep } from "../decide/decision.ts";
import type { FoundKey, RoutingErrorReason } from "../key/key-steps.ts";
import type { EntrySource, Interception } from "../table/route-table.ts";

/** Explanation of the routing decision for a request, as JSON. */
export interface Explanation {
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  /** Version of the table that decided. */
  readonly tableVersion: string;
  /** Renderer of the table: the proxy before the Service, the one in the pod, or a mesh. */
  readonly renderer: Interception;
  readonly key?: FoundKey;
  /** Steps in the order of evaluation. */
  readonly steps: readonly ExplainedStep[];
  readonly outcome: ExplainedOutcome;
  /** Targets of the route that was taken. */
  readonly targets?: readonly ExplainedTarget[];
  /** Outcome for the same request if the workload had no ready target. */
  readonly ifTargetVanished?: ExplainedOutcome;
  /** Value of `x-sandbox-route` in the response. */
  readonly responseHeader?: string;
  /** Errors that the request is counted for. */
  readonly counted: readonly RoutingErrorReason[];
}

/** One step of a decision. */
export interface ExplainedStep {
  readonly step: DecisionStep["step"] | "table" | "not-reached";
  /** Description for humans. */
  readonly text: string;
  /** Route that the step is about. */
  readonly route?: ExplainedRoute;
}

/** A route in an explanation. */
export interface ExplainedRoute {
  readonly sandbox: string;
  readonly workload: string;
  readonly source: EntrySource;
  readonly routeGroup?: string;
}

/** Result of a decision in an explanation. */
export type ExplainedOutcome =
  | { readonly type: "baseline"; readonly reason: BaselineReason; readonly target: string }
  | {
      readonly type: "entry";
      readonly route: ExplainedRoute;
      readonly targets: readonly string[];
      readonly fault?: ExplainedFault;
    }
  | { readonly type: "unavailable"; readonly action: "Fail"; readonly route: ExplainedRoute }
  | {
      readonly type: "unavailable";
      readonly action: "Hold";
      readonly route: ExplainedRoute;
      readonly holdMs: number;
      readonly afterHold: "Baseline" | "Fail";
    }
  /** The Service has no such port. */
  | { readonly type: "no-port"; readonly ports: readonly number[] };

/** A fault that is injected into the request. */
export interface ExplainedFault {
  readonly delayMs: number;
  readonly abortCode?: number;
  readonly abortGrpcStatus?: number;
}

/** A target address and its health. */
export interface ExplainedTarget {
  readonly address: string;
  readonly isHealthy: boolean;
  /** False if the address is excluded because of its health. */
  readonly isUsed: boolean;
}
