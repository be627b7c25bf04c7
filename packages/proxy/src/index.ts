export { defaultLimits, type ProxyLimits } from "./limits/limits.ts";
export type { ProxyErrorReason, ProxyObserver, RequestEnd } from "./observe/observer.ts";
export type {
  Destination,
  ForwardPlan,
  HoldPlan,
  HttpProtocol,
  IncomingRequest,
  RespondPlan,
  RoutePlan,
  Router,
} from "./router/route-plan.ts";
export type { AttemptResult, Balancer } from "./upstream/balancer.ts";
