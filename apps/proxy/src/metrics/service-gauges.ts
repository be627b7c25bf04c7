import type { Holds, RouteTables, TwoChoiceBalancer } from "@homeostat/proxy";
import { Gauge, type Registry } from "@homeostat/runtime";

/** Parts of the proxy that the gauges of Services are read from. */
export interface MeasuredParts {
  readonly holds: Pick<Holds, "waiting">;
  readonly tables: Pick<RouteTables, "current">;
  readonly balancer: Pick<TwoChoiceBalancer, "isHealthy">;
}

/** Registers the gauges by Service. They are computed when they are scraped, and have the Services of the present tables only. */
export function registerServiceGauges(registry: Registry, { holds, tables, balancer }: MeasuredParts): void {
  registry.register(
    new Gauge({
      name: "proxy_held_requests",
      help: "Requests that wait for a ready target, by Service.",
      labels: ["service"],
      read: (set) => {
        const counts = new Map(serviceNames(tables).map((service) => [service, 0]));
        for (const { destination, requests } of holds.waiting())
          counts.set(destination.service, (counts.get(destination.service) ?? 0) + requests);
        for (const [service, count] of counts) set({ service }, count);
      },
    }),
  );
  registry.register(
    new Gauge({
      name: "proxy_ejected_targets",
      help: "Addresses that get no requests because they failed repeatedly, by Service.",
      labels: ["service"],
      read: (set) => {
        const ejected = new Map(serviceNames(tables).map((service) => [service, new Set<string>()]));
        for (const { service, port, baselineTargets } of tables.current.ports.values()) {
          const targets = [...port.routes.targets()].flatMap((entry) => entry.targets);
          for (const target of [...baselineTargets, ...targets])
            if (!balancer.isHealthy(target)) ejected.get(service)?.add(target);
        }
        for (const [service, targets] of ejected) set({ service }, targets.size);
      },
    }),
  );
}

function serviceNames({ current }: MeasuredParts["tables"]): readonly string[] {
  return [...new Set([...current.ports.values()].map(({ service }) => service))];
}
