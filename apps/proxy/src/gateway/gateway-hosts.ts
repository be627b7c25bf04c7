// The preview hosts in the form that requests need: with the routes of their Services.

import type { Clock } from "@homeostat/core";
import {
  type Holds,
  type KnownOthers,
  type RoutedPort,
  routedPort,
  type RouteTables,
  type RouteObserver,
  TableRouter,
  UpstreamTls,
} from "@homeostat/proxy";
import { type CompiledPort, type CompiledTable, compileTable, type PreviewHost, RouteLookup } from "@homeostat/routing";
import type { StoredTable } from "../routes/table-store.ts";

/** A preview host with the routes of its Service. */
export interface GatewayHost {
  readonly preview: PreviewHost;
  /** Table of the Service that the port was built from. */
  readonly table: CompiledTable | undefined;
  readonly port: RoutedPort;
  /** False if the Service has no ready address. Routes of the key may have targets nevertheless. */
  readonly hasBaseline: boolean;
  /** Milliseconds since 1970. */
  readonly expiresAt: number | undefined;
  readonly tokens: ReadonlySet<string>;
  readonly router: TableRouter;
}

export interface GatewayHostsOptions {
  readonly tables: RouteTables;
  readonly holds: Holds;
  readonly clock: Pick<Clock, "now">;
  readonly observer?: RouteObserver | undefined;
}

/** Names of expired hosts that are remembered for the response 410. */
const expiredMax = 10_000;
/** A host that is removed within this time before its expiry counts as expired: clocks of the operator and the gateway differ. */
const toleranceMs = 60_000;

/** The preview hosts of a gateway. */
export class GatewayHosts {
  readonly #options: GatewayHostsOptions;
  readonly #routers = new Map<string, TableRouter>();
  /** Hosts that were removed at the end of their life, oldest first. Without them, their users would see an unknown address. */
  readonly #expired = new Set<string>();
  #hosts: ReadonlyMap<string, GatewayHost> = new Map();

  constructor(options: GatewayHostsOptions) {
    this.#options = options;
  }

  /** Returns a host; `expired` if its life has ended, undefined if it is unknown. */
  find(name: string): GatewayHost | "expired" | undefined {
    const found = this.#hosts.get(name);
    if (found === undefined) return this.#expired.has(name) ? "expired" : undefined;
    return found.expiresAt !== undefined && found.expiresAt <= this.#options.clock.now() ? "expired" : found;
  }

  /** Replaces all hosts. Returns their keys and addresses. */
  swap(hosts: Iterable<PreviewHost>, tables: ReadonlyMap<string, StoredTable>): KnownOthers {
    const before = this.#hosts;
    const next = new Map<string, GatewayHost>();
    for (const host of hosts) {
      const table = tables.get(`${host.namespace}/${host.service}`)?.compiled;
      const same = before.get(host.host);
      // Most changes concern one host; the others are not built again.
      const isSame = same !== undefined && same.preview === host && same.table === table;
      next.set(host.host, isSame ? same : this.#compile(host, table));
    }
    this.#hosts = next;
    for (const [name, { expiresAt }] of before) if (!next.has(name)) this.#forget(name, expiresAt);
    for (const name of next.keys()) this.#expired.delete(name);
    const all = [...next.values()];
    return {
      keys: new Set(
        all.flatMap(({ preview: { routingKey, defaultKey } }) => [routingKey ?? [], defaultKey ?? []].flat()),
      ),
      addresses: new Set(all.flatMap(({ port }) => port.baselineTargets)),
    };
  }

  #forget(name: string, expiresAt: number | undefined): void {
    this.#routers.delete(name);
    if (expiresAt === undefined || expiresAt > this.#options.clock.now() + toleranceMs) return;
    this.#expired.add(name);
    const [oldest] = this.#expired;
    if (this.#expired.size > expiredMax && oldest !== undefined) this.#expired.delete(oldest);
  }

  #compile(preview: PreviewHost, table: CompiledTable | undefined): GatewayHost {
    const { host, namespace, service, port, addresses, expiresAt, tokens, tls } = preview;
    const own = `${service}.${namespace}.svc:${port}`;
    const compiled = table?.ports.get(port) ?? portWithoutRoutes(preview, own);
    // A Service that is taken over leads to proxies; its table then has the address of the baseline.
    const isDirect = compiled.port.baselineTarget === own && addresses !== undefined;
    return {
      preview,
      table,
      port: routedPort(preview, compiled, {
        targets: isDirect && addresses.length > 0 ? addresses : undefined,
        tls: tls === undefined ? undefined : new UpstreamTls(tls),
      }),
      hasBaseline: !isDirect || addresses.length > 0,
      expiresAt: expiresAt === undefined ? undefined : Date.parse(expiresAt),
      tokens: new Set(tokens),
      router: this.#routerOf(host),
    };
  }

  /** Returns the router of a host. It outlives changes of the host, because held requests wait in it. */
  #routerOf(name: string): TableRouter {
    const { tables, holds, observer } = this.#options;
    const router =
      this.#routers.get(name) ??
      new TableRouter({ tables, holds, observer, listen: () => this.#hosts.get(name)?.port });
    this.#routers.set(name, router);
    return router;
  }
}

/** Returns the port of a Service that has no table: all requests go to the baseline, with the key of the host. */
function portWithoutRoutes({ namespace, service, port }: PreviewHost, baselineTarget: string): CompiledPort {
  const { ports, keys } = compileTable({
    namespace,
    service,
    version: "",
    ports: [{ port, baselineTarget }],
    entries: [],
  });
  const routes = new RouteLookup([], { targetsOf: () => undefined, compile: () => undefined });
  return ports.get(port) ?? { port: { port, baselineTarget }, keys, restoresKeys: false, routes };
}
