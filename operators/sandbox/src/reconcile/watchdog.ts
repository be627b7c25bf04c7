// Restores Services that have no ready proxy. Runs in every replica of the operator, so it also works while there is no leader.

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

/** Interval of further attempts after one that failed, or that found a proxy that the cache does not show yet. */
const retryMs = 1_000;

/**
 * Share of `takeover.watchdog` that is reserved for the request and its retry: a Service must be restored within that time, so the watchdog acts
 * after nine tenths of it.
 */
const marginShare = 0.1;

/** Time for which a restored Service is not taken over again, so that a proxy in a crash loop does not break it repeatedly. */
const holdMs = 60_000;

/** Name and function of the index of Services that select the proxy, by namespace. */
const index = "proxied";
const proxiedNamespace = (service: CachedService): string | undefined =>
  selectsProxy(service) ? service.metadata.namespace : undefined;

type Proxied = Informer<Service, typeof index>;

/**
 * Returns the watchdog. It restores a Service that is taken over within `takeover.watchdog` after the Deployment of the proxies has reported that
 * none of them is ready, unless one becomes ready before. Several replicas may write at the same time: the resource version lets only one of the
 * writes succeed.
 */
export function takeoverWatchdog(config: () => OperatorConfig): (tools: ServiceTools) => ManagerService {
  return (tools) => {
    const restores = takeoverRestores();
    tools.registry.register(restores);
    const watchdog = new Watchdog(tools, {
      limitMs: () => config().takeover.watchdogSeconds * 1_000,
      onRestore: (namespace) => restores.inc({ namespace }),
    });
    return { name: "takeover-watchdog", when: "always", run: (signal) => watchdog.run(signal) };
  };
}

interface WatchdogOptions {
  readonly limitMs: () => number;
  readonly onRestore: (namespace: string) => void;
}

/** Monotonic times of a namespace without a ready proxy. In memory: after a restart the time starts over. */
interface Outage {
  readonly since: number;
  /** Time of the last attempt to restore its Services. */
  triedAt: number | undefined;
}

class Watchdog {
  readonly #tools: ServiceTools;
  readonly #options: WatchdogOptions;
  readonly #outages = new Map<string, Outage>();
  /** Aborted by a change that the loop has not observed yet. Ends its pause. */
  #changed = new AbortController();

  constructor(tools: ServiceTools, options: WatchdogOptions) {
    this.#tools = tools;
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { cache, clock, log } = this.#tools;
    using services = cache.informer(Service).index(index, proxiedNamespace);
    using proxies = cache.informer(Deployment, proxyDeployments);
    try {
      await Promise.all([services.ready(signal), proxies.ready(signal)]);
      // The time of an outage counts from the event that reports it, not from the next turn of the loop.
      proxies.subscribe(() => this.#changed.abort());
      services.subscribe(({ object, old }) => {
        if (proxiedNamespace(object) !== undefined && (old === undefined || !selectsProxy(old))) this.#changed.abort();
      });
      signal.addEventListener("abort", () => this.#changed.abort(), { once: true });
      while (!signal.aborted) {
        this.#changed = new AbortController();
        const now = clock.monotonic();
        this.#observe(services, proxies, now);
        for (const [namespace, outage] of this.#outages) {
          if (this.#dueAt(outage) > now) continue;
          outage.triedAt = now;
          await this.#restore(services, namespace, signal).catch((error: unknown) => {
            if (!signal.aborted) log.error("Failed to restore Services", { namespace, error });
          });
        }
        await this.#pause();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Notes the namespaces with Services that are taken over and without a ready proxy. */
  #observe(services: Proxied, proxies: Informer<Deployment>, now: number): void {
    const dead = new Set(
      services
        .valuesOf(index)
        .filter((namespace) => (proxies.get({ namespace, name: proxyName })?.status?.readyReplicas ?? 0) === 0),
    );
    for (const namespace of this.#outages.keys()) if (!dead.has(namespace)) this.#outages.delete(namespace);
    for (const namespace of dead)
      if (!this.#outages.has(namespace)) this.#outages.set(namespace, { since: now, triedAt: undefined });
  }

  /** Returns the time of the next attempt to restore the Services of a namespace. */
  #dueAt({ since, triedAt }: Outage): number {
    return triedAt === undefined ? since + this.#options.limitMs() * (1 - marginShare) : triedAt + retryMs;
  }

  /** Waits for a change, or until the next outage is due. A change of the limit counts after a second. */
  async #pause(): Promise<void> {
    const { clock } = this.#tools;
    const { signal } = this.#changed;
    const now = clock.monotonic();
    const next = Math.min(...[...this.#outages.values()].map((outage) => this.#dueAt(outage)), now + retryMs);
    await clock.sleep(Math.max(1, next - now), signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  async #restore(services: Proxied, namespace: string, signal: AbortSignal): Promise<void> {
    const { unfencedClient: client, serverClock, log } = this.#tools;
    // Reads the live object, because the cache may be stale while the watch is interrupted.
    const live = await client.get(Deployment, { namespace, name: proxyName }, { signal });
    if ((live?.status?.readyReplicas ?? 0) > 0) return;
    const holdUntil = serverClock.now() + holdMs;
    for (const service of services.by(index, namespace)) {
      const base = services.get({ namespace, name: baselineServiceName(service.metadata.name) });
      const result = await restoreService(client, service, { base, holdUntil, signal });
      if (result === "restored") {
        this.#options.onRestore(namespace);
        log.warn("Restored Service because no proxy is ready", { service: keyOf(service) });
      } else if (result === "unknown") {
        log.error("Original selector of a Service is unknown", { service: keyOf(service) });
      }
    }
  }
}
