import type { Clock } from "@homeostat/core";
import type { ControllerUnit } from "../controller/unit.ts";
import type { FlightRecorder } from "../history/reconcile-history.ts";
import { type Health, healthRoutes } from "../http/health-routes.ts";
import { type HttpServer, serveHttp } from "../http/http-server.ts";
import { metricsRoute } from "../http/metrics-route.ts";
import { inspectorProfile, profileRoute } from "../http/profile-route.ts";
import { type WhySource, whyRoute } from "../http/why-route.ts";
import type { Logger } from "../log/logger.ts";
import type { Registry } from "../metrics/registry.ts";
import type { ManagerHttpOptions } from "./options.ts";

/** What the pages of a manager show. */
export interface PagesOptions {
  readonly http: ManagerHttpOptions;
  readonly registry: Registry;
  readonly health: Health;
  readonly why: WhySource;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The servers of a manager's pages: one, or two when metrics have an address of their own. */
export async function servePages(options: PagesOptions): Promise<readonly HttpServer[]> {
  const { http, registry, health, why, clock, log } = options;
  const { metrics, details = "local", profiling = false } = http;
  const onError = (error: unknown, path: string): void => log.error("A page failed", { path, error });
  const detailed = [whyRoute(why), ...(profiling ? [profileRoute(inspectorProfile(clock))] : [])];
  const routes = [
    ...healthRoutes(health),
    ...(metrics === undefined ? [metricsRoute(registry)] : []),
    ...detailed.map((route) => ({ ...route, isLocal: details === "local" })),
  ];
  const purpose = metrics === undefined ? "health probes and metrics" : "health probes";
  const first = await serveHttp({ ...http, routes, purpose, onError });
  if (metrics === undefined || metrics === false) return [first];
  try {
    return [first, await serveHttp({ ...metrics, routes: [metricsRoute(registry)], purpose: "metrics", onError })];
  } catch (error) {
    await first[Symbol.asyncDispose]();
    throw error;
  }
}

/** What `/why` tells: the flight recorder's memory, and where each controller stands. */
export function whySource(
  flights: FlightRecorder,
  controllers: () => readonly { readonly unit: ControllerUnit; readonly state: string }[],
): WhySource {
  return {
    controllers: () => controllers().map(({ unit, state }) => ({ name: unit.name, state, queue: unit.queue() })),
    explain: (controller, key) => {
      const story = flights.explain(controller, key);
      return story.runs.length === 0 && (story.now === undefined || story.now.state === "idle") ? undefined : story;
    },
  };
}
