// Keeps the preview hosts of the feed equal to those that the operator has published in RouteTables.

import type { DeepReadonly } from "@homeostat/core";
import { Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import type { Cache, Informer } from "@homeostat/runtime";
import { RouteTable } from "@homeostat/sandbox-operator";
import { buildHost } from "../feed/build-host.ts";
import { hostKeyOf } from "../feed/host-key.ts";
import type { TableFeed } from "../feed/table-feed.ts";
import { type HostClaim, HostClaims } from "./host-claims.ts";
import { serviceOfSlice } from "./service-of-slice.ts";

export interface ClusterHostsOptions {
  readonly cache: Cache;
  readonly feed: TableFeed;
}

/** The objects of the cluster that preview hosts are built from. */
export class ClusterHosts implements Disposable {
  readonly #feed: TableFeed;
  readonly #tables: Informer<RouteTable, "token">;
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice, "service">;
  readonly #claims = new HostClaims();

  constructor({ cache, feed }: ClusterHostsOptions) {
    this.#feed = feed;
    this.#tables = cache
      .informer(RouteTable)
      .index("token", ({ spec }) => [...new Set((spec.hosts ?? []).flatMap(({ tokens }) => tokens ?? []))]);
    this.#services = cache.informer(Service);
    this.#slices = cache.informer(EndpointSlice).index("service", serviceOfSlice);
  }

  /** Returns the RouteTable with the host that accepts a token. */
  tableOfToken(tokenId: string): DeepReadonly<RouteTable> | undefined {
    return this.#tables.by("token", tokenId)[0];
  }

  /**
   * Reports whether a host routes to the Service of a table, and not to that of another table that publishes it too.
   */
  isOf(table: string, host: string): boolean {
    return this.#claims.winnerOf(host)?.table === table;
  }

  /** Waits until all objects are known, and builds all hosts. From then on, the feed follows the cluster. */
  async start(signal: AbortSignal): Promise<void> {
    for (const informer of [this.#tables, this.#services, this.#slices]) await informer.ready(signal);
    for (const key of this.#tables.keys()) this.#changed(key);
    this.#tables.subscribe(({ key }) => this.#changed(key));
    this.#services.subscribe(({ key }) => this.#targetChanged(key));
    this.#slices.subscribe(({ object }) => this.#targetChanged(serviceOfSlice(object)));
  }

  [Symbol.dispose](): void {
    for (const each of [this.#tables, this.#services, this.#slices]) each[Symbol.dispose]();
  }

  #changed(key: string): void {
    for (const host of this.#claims.set(key, this.#tables.get(key)?.spec.hosts ?? [])) this.#build(host);
  }

  #targetChanged(service: string): void {
    for (const host of this.#claims.hostsOf(service)) this.#build(host);
  }

  #build(name: string): void {
    const claim = this.#claims.winnerOf(name);
    const host = claim === undefined ? undefined : this.#hostOf(claim);
    const key = host === undefined ? undefined : hostKeyOf(host);
    // If the Service of a host moves to another namespace, the key of the host changes.
    const before = this.#claims.replaceKey(name, key);
    if (before !== undefined && before !== key) this.#feed.remove(before);
    if (host !== undefined) this.#feed.setHost(host);
  }

  #hostOf({ host }: HostClaim): ReturnType<typeof buildHost> {
    return buildHost({
      endpoint: host,
      tokens: host.tokens,
      expiresAt: host.expiresAt,
      service: (key) => this.#services.get(key),
      slices: (key) => this.#slices.by("service", key),
    });
  }
}
