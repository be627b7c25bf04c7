import { type Clock, formatGroupResource } from "@homeostat/core";
import type { Cache } from "../cache/cache.ts";
import type { Controller } from "../controller/definition.ts";
import type { ControllerUnit } from "../controller/unit.ts";
import type { ReconcileHistory } from "../history/reconcile-history.ts";
import { recordedError } from "../history/reconcile-record.ts";
import { type Health, healthRoutes } from "../http/health-routes.ts";
import { type HttpServer, serveHttp } from "../http/http-server.ts";
import { metricsRoute } from "../http/metrics-route.ts";
import { inspectorProfile, profileRoute } from "../http/profile-route.ts";
import type { Route } from "../http/route.ts";
import { type WhySource, whyRoute } from "../http/why-route.ts";
import type { Logger } from "../log/logger.ts";
import type { Registry } from "../metrics/registry.ts";
import type { ManagerHttpOptions } from "./options.ts";

/** Options of {@link servePages}. */
export interface PagesOptions {
  readonly http: ManagerHttpOptions;
  readonly registry: Registry;
  readonly health: Health;
  readonly why: WhySource;
  /** Pages with the access of `/why`. */
  readonly pages: readonly Route[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Starts the HTTP servers of a manager: one, or two when metrics have a separate address. */
export async function servePages(options: PagesOptions): Promise<readonly HttpServer[]> {
  const { http, registry, health, why, pages, clock, log } = options;
  const { metrics, details = "local", profiling = false } = http;
  const onError = (error: unknown, path: string): void => log.error("HTTP handler failed", { path, error });
  const detailed = [whyRoute(why), ...pages, ...(profiling ? [profileRoute(inspectorProfile(clock))] : [])];
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

/** Parts of a manager that the page `/why` shows. */
export interface WhyParts {
  readonly history: ReconcileHistory;
  readonly controllers: () => readonly {
    readonly controller: Controller;
    readonly unit: ControllerUnit;
    readonly state: string;
  }[];
  readonly cache: Pick<Cache, "stats">;
  readonly isLeading: () => boolean;
}

/** Returns the data of the page `/why`: the history of reconciles, the state of each controller, and the informers. */
export function whySource({ history, controllers, cache, isLeading }: WhyParts): WhySource {
  return {
    isLeading,
    controllers: () =>
      controllers().map(({ controller, unit, state }) => ({
        name: unit.name,
        resource: formatGroupResource(controller.definition.for),
        state,
        queue: unit.queue(),
      })),
    informers: () =>
      cache.stats().map(({ name, objects, bytes, health: { state, lastByteAt, failures, error } }) => ({
        name,
        objects,
        bytes,
        state,
        lastByteAt,
        failures,
        ...(error === undefined ? {} : { error: recordedError(error) }),
      })),
    explain: (controller, key) => {
      const explanation = history.explain(controller, key);
      const { reconciles: runs, now } = explanation;
      return runs.length === 0 && (now === undefined || now.state === "idle") ? undefined : explanation;
    },
  };
}
