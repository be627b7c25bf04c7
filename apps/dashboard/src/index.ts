export type { Access, Authentication, Login, Session } from "./access/access.ts";
export { clusterAccess, type ClusterAccessOptions } from "./access/cluster-access.ts";
export { serveOnLoopback, type LoopbackDashboard, type LoopbackOptions } from "./serve-on-loopback.ts";
export { type Dashboard, type DashboardOptions, serveDashboard } from "./server/serve-dashboard.ts";
export { PageMissingError } from "./errors.ts";
export { type EndpointResponse, loopbackEndpoint, type OperatorEndpoint } from "./why/operator-endpoint.ts";
export { findOperatorPods } from "./why/find-operator-pods.ts";
export type { FindOperators } from "./why/why-view.ts";
