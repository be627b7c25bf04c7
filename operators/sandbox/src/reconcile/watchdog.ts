// Restores Services whose proxy is gone. Runs in every replica of the operator, so that it also works while no replica leads.

import { keyOf } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Service } from "@homeostat/kubernetes/core/v1";
import type { AccessDefinition, Informer, Service as ManagerService, ServiceTools } from "@homeostat/runtime";
import { baselineServiceName, proxyName } from "../api/names.ts";
import type { CachedService } from "../build/service-view.ts";
import { selectsProxy } from "../build/taken-over-service.ts";
import { takeoverRestores } from "../metrics/sandbox-metrics.ts";
import { proxyDeployments } from "../observe/takeover-kinds.ts";
import type { OperatorConfig } from "../settings/config.ts";
import { restoreService } from "./restore-services.ts";

/** Permissions of the watchdog. */
export const watchdogAccess: readonly AccessDefinition[] = [
  { type: Service, verbs: ["list", "watch", "patch"] },
  { type: Deployment, verbs: ["get", "list", "watch"] },
];

/** Interval at which the proxies are checked. */
const checkMs = 1_000;

/** Time for which a restored Service stays with its baseline: a proxy that crashes in a loop must not break it again and again. */
const holdMs = 60_000;

/** Name and function of the index of Services that select the proxy, by namespace. */
const index = "proxied";
const proxiedNamespace = (service: CachedService): string | undefined =>
  selectsProxy(service) ? service.metadata.namespace : undefined;

type Proxied = Informer<Service, typeof index>;

/**
 * Returns the watchdog. It restores a Service that is taken over when no proxy of its namespace has been ready for `takeover.watchdog`. Several
 * replicas may write at the same time: the resource version lets one of them win, and the others have nothing left to do.
 */
export function takeoverWatchdog(config: () => OperatorConfig): (tools: ServiceTools) => ManagerService {
  return (tools) => {
    const restores = takeoverRestores();
    tools.registry.register(restores);
    const watchdog = new Watchdog(tools, (namespace) => restores.inc({ namespace }));
    return {
      name: "takeover-watchdog",
      when: "always",
      run: (signal) => watchdog.run(signal, () => config().takeover.watchdogSeconds * 1_000),
    };
  };
}

class Watchdog {
  readonly #tools: ServiceTools;
  readonly #onRestore: (namespace: string) => void;
  /** Monotonic time since which no proxy is ready, by namespace. In memory: after a restart the time begins again. */
  readonly #deadSince = new Map<string, number>();

  constructor(tools: ServiceTools, onRestore: (namespace: string) => void) {
    this.#tools = tools;
    this.#onRestore = onRestore;
  }

  async run(signal: AbortSignal, limitMs: () => number): Promise<void> {
    const { cache, clock, log } = this.#tools;
    using services = cache.informer(Service).index(index, proxiedNamespace);
    using proxies = cache.informer(Deployment, proxyDeployments);
    try {
      await Promise.all([services.ready(signal), proxies.ready(signal)]);
      while (!signal.aborted) {
        for (const namespace of this.#due(services, proxies, limitMs())) {
          await this.#restore(services, namespace, signal).catch((error: unknown) => {
            if (!signal.aborted) log.error("Failed to restore Services", { namespace, error });
          });
        }
        await clock.sleep(checkMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Returns the namespaces whose proxy has not been ready for the time. */
  #due(services: Proxied, proxies: Informer<Deployment>, limitMs: number): readonly string[] {
    const now = this.#tools.clock.monotonic();
    const dead = services
      .valuesOf(index)
      .filter((namespace) => (proxies.get({ namespace, name: proxyName })?.status?.readyReplicas ?? 0) === 0);
    for (const namespace of this.#deadSince.keys()) if (!dead.includes(namespace)) this.#deadSince.delete(namespace);
    for (const namespace of dead) if (!this.#deadSince.has(namespace)) this.#deadSince.set(namespace, now);
    return dead.filter((namespace) => now - (this.#deadSince.get(namespace) ?? now) >= limitMs);
  }

  async #restore(services: Proxied, namespace: string, signal: AbortSignal): Promise<void> {
    const { unfencedClient: client, serverClock, log } = this.#tools;
    // The cache may be old while the watch is interrupted.
    const live = await client.get(Deployment, { namespace, name: proxyName }, { signal });
    if ((live?.status?.readyReplicas ?? 0) > 0) return;
    const holdUntil = serverClock.now() + holdMs;
    for (const service of services.by(index, namespace)) {
      const base = services.get({ namespace, name: baselineServiceName(service.metadata.name) });
      const result = await restoreService(client, service, { base, holdUntil, signal });
      if (result === "restored") {
        this.#onRestore(namespace);
        log.warn("Restored Service because no proxy is ready", { service: keyOf(service) });
      } else if (result === "unknown") {
        log.error("Original selector of a Service is unknown", { service: keyOf(service) });
      }
    }
  }
}
