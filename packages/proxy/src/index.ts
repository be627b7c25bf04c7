export { Http2Engine, type Http2EngineOptions } from "./http2/engine.ts";
export type { ConnectSocket } from "./http2/upstream-pool.ts";
export { defaultLimits, type ProxyLimits } from "./limits/limits.ts";
export type { AcceptedConnection, Engine } from "./listener/engine.ts";
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
export type { AttemptEvent, AttemptResult, Balancer } from "./upstream/balancer.ts";
export { SafeEngine, type SafeEngineOptions } from "./safe/safe-engine.ts";
