// Keeps the feed equal to the RouteTables of the cluster.

import { Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import type { Cache, Informer, Logger } from "@homeostat/runtime";
import { RouteTable } from "@homeostat/sandbox-operator";
import { buildTable } from "../feed/build-table.ts";
import type { TableFeed } from "../feed/table-feed.ts";
import { serviceOfSlice } from "./service-of-slice.ts";

/** End of the name of the Service that routes to the baseline while a Service is taken over. */
const baseSuffix = "--base";

export interface ClusterTablesOptions {
  readonly cache: Cache;
  readonly feed: TableFeed;
  readonly log: Logger;
  /** Called after a RouteTable object has changed, even if only its status has. */
  readonly onObject?: ((key: string) => void) | undefined;
}

/** The objects of the cluster that tables are built from. */
export class ClusterTables implements Disposable {
  readonly #feed: TableFeed;
  readonly #log: Logger;
  readonly #onObject: (key: string) => void;
  readonly #tables: Informer<RouteTable, "target">;
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice, "service" | "address">;

  constructor({ cache, feed, log, onObject = () => undefined }: ClusterTablesOptions) {
    this.#feed = feed;
    this.#log = log;
    this.#onObject = onObject;
    this.#tables = cache.informer(RouteTable).index("target", ({ metadata: { namespace = "" }, spec }) => {
      const names = spec.entries.flatMap(({ ports }) => ports.map(({ targetService }) => targetService));
      return [...new Set(names)].map((name) => `${namespace}/${name}`);
    });
    this.#services = cache.informer(Service);
    this.#slices = cache
      .informer(EndpointSlice)
      .index("service", serviceOfSlice)
      .index("address", ({ metadata, endpoints }) =>
        (endpoints ?? []).flatMap(({ addresses }) => addresses.map((address) => `${metadata.namespace}/${address}`)),
      );
  }

  /** Returns the RouteTable object of a key. */
  object(key: string): ReturnType<Informer<RouteTable>["get"]> {
    return this.#tables.get(key);
  }

  objects(): ReturnType<Informer<RouteTable>["list"]> {
    return this.#tables.list();
  }

  /**
   * Returns the Service of the baseline whose pod has an address: that of a fork, or that of the baseline. While a Service is taken over, its own
   * endpoints are proxies.
   */
  callerOf(namespace: string, address: string): string | undefined {
    for (const slice of this.#slices.by("address", `${namespace}/${address}`)) {
      const key = serviceOfSlice(slice);
      const [forked] = this.#tables.by("target", key);
      if (forked !== undefined) return forked.spec.service;
      const name = key.slice(namespace.length + 1);
      if (name.endsWith(baseSuffix)) return name.slice(0, -baseSuffix.length);
      if (this.#tables.get(key)?.spec.interception !== "Takeover") return name;
    }
    return undefined;
  }

  /** Returns the names of the pods in the EndpointSlices of a Service, ready or not. */
  podsOf(service: string): ReadonlySet<string> {
    const slices = this.#slices.by("service", service);
    return new Set(
      slices.flatMap(({ endpoints }) => endpoints?.flatMap(({ targetRef }) => targetRef?.name ?? []) ?? []),
    );
  }

  /** Waits until all objects are known, and builds all tables. From then on, the feed follows the cluster. */
  async start(signal: AbortSignal): Promise<void> {
    for (const informer of [this.#tables, this.#services, this.#slices]) await informer.ready(signal);
    for (const key of this.#tables.keys()) this.#build(key);
    this.#tables.subscribe(({ key }) => {
      this.#build(key);
      this.#onObject(key);
    });
    this.#services.subscribe(({ key }) => this.#targetChanged(key));
    this.#slices.subscribe(({ object }) => {
      const key = serviceOfSlice(object);
      this.#targetChanged(key);
      if (this.#tables.get(key)?.spec.interception === "Sidecar") this.#build(key);
    });
  }

  [Symbol.dispose](): void {
    for (const each of [this.#tables, this.#services, this.#slices]) each[Symbol.dispose]();
  }

  #targetChanged(service: string): void {
    for (const { metadata } of this.#tables.by("target", service))
      this.#build(`${metadata.namespace}/${metadata.name}`);
  }

  #build(key: string): void {
    const object = this.#tables.get(key);
    if (object === undefined) {
      this.#feed.remove(key);
      return;
    }
    const { namespace = "" } = object.metadata;
    const { table, problems } = buildTable({
      object,
      service: (name) => this.#services.get({ namespace, name }),
      slices: (name) => this.#slices.by("service", `${namespace}/${name}`),
    });
    if (problems.length > 0)
      this.#log.warn("Route table has invalid fields", { table: key, problems: problems.join("; ") });
    // A table that cannot be read at all is not removed, so proxies keep the last valid one.
    if (table === undefined) return;
    const isEndpoint = (object.spec.hosts ?? []).length > 0;
    this.#feed.set(table, isEndpoint, object.spec.interception === "Sidecar" ? this.podsOf(key) : undefined);
  }
}
