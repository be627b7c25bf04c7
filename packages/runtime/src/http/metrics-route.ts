import { Registry } from "../metrics/registry.ts";
import type { Route } from "./route.ts";

/** `/metrics`: everything that a registry holds, as Prometheus reads it. */
export function metricsRoute(registry: Registry): Route {
  return {
    path: "/metrics",
    answer: () => ({ status: 200, contentType: Registry.contentType, body: registry.expose() }),
  };
}
