import { Registry } from "../metrics/registry.ts";
import type { Route } from "./route.ts";

/** Returns the route `/metrics`, which exposes a registry in the Prometheus text format. */
export function metricsRoute(registry: Registry): Route {
  return {
    path: "/metrics",
    respond: () => ({ status: 200, contentType: Registry.contentType, body: registry.expose() }),
  };
}
