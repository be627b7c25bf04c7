// The proxy as a part of another program: `npm start` runs it in simulated pods.

export { LevelSetting } from "./admin/level-logger.ts";
export type { RouteServerAddress } from "./routes/route-connection.ts";
export { type ProxyNetwork, RoutingProxy, type RoutingProxyOptions } from "./routing-proxy.ts";
export { type ProxySettings, readArguments } from "./settings/flags.ts";
