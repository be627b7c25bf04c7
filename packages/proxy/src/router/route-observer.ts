import type { Decision } from "@homeostat/routing";
import type { Destination, IncomingRequest, RequestRecord } from "./route-plan.ts";

/** Receives the decisions of a router. Implementations count; they never throw and never wait. */
export interface RouteObserver {
  /** Called for every request that a route of a sandbox takes, also if its workload has no ready target. */
  routed(destination: Destination): void;
  /**
   * Called for every request. Returns a record if the request is logged or traced; the destination that the engine reports at the end of the
   * request then has it.
   */
  record?(request: IncomingRequest, decision: Decision, destination: Destination): RequestRecord | undefined;
}
