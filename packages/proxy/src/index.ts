// Routing
export { Holds, type HeldPlan, type HeldRequest, type HoldsOptions } from "./router/holds.ts";
export type {
  Destination,
  ForwardPlan,
  HoldPlan,
  HttpProtocol,
  IncomingRequest,
  RequestRecord,
  RespondPlan,
  RoutePlan,
  Router,
} from "./router/route-plan.ts";
export {
  type KnownOthers,
  type RoutedPort,
  routedPort,
  type RoutedPortOptions,
  type RouteLabels,
  RouteTables,
  type RouteTablesOptions,
  type TablesChange,
  type TablesSnapshot,
} from "./router/route-tables.ts";
export type { RouteObserver } from "./router/route-observer.ts";
export { TableRouter, type TableRouterOptions } from "./router/table-router.ts";

// Engines and listeners
export { Http1Engine, type Http1EngineOptions } from "./http1/engine.ts";
export { SafeEngine, type SafeEngineOptions } from "./safe/safe-engine.ts";
export { Http2Engine, type Http2EngineOptions } from "./http2/engine.ts";
export type { AcceptedConnection, Engine } from "./listener/engine.ts";
export { Listeners } from "./listener/listeners.ts";
export { type ServerCertificate, ServerCertificates } from "./listener/server-certificates.ts";
export { type Listen, type ListenerOptions, type ListenerPort, PortListener } from "./listener/port-listener.ts";

// Upstreams
export { splitAddress } from "./upstream/address.ts";
export type { AttemptEvent, AttemptResult, Balancer } from "./upstream/balancer.ts";
export { type Connect, connectTcp } from "./upstream/connect.ts";
export { type BalancerOptions, TwoChoiceBalancer } from "./upstream/two-choice-balancer.ts";
export { UpstreamTls, type UpstreamTlsOptions } from "./upstream/upstream-tls.ts";

// Limits and observation
export type { ClientShare } from "./limits/client-share.ts";
export { Deadlines, type Timed } from "./limits/deadlines.ts";
export { defaultLimits, type ProxyLimits } from "./limits/limits.ts";
export type { ProxyErrorReason, ProxyObserver, RequestEnd } from "./observe/observer.ts";
