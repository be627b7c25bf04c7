import type { Destination } from "./route-plan.ts";

/** Receives the decisions of a router. Implementations count; they never throw and never wait. */
export interface RouteObserver {
  /** Called for every request that a route of a sandbox takes, also if its workload has no ready target. */
  routed(destination: Destination): void;
}
