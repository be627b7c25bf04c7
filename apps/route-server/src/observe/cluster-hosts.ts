// Keeps the preview hosts of the feed equal to the endpoints that the operator has published.

import type { DeepReadonly } from "@homeostat/core";
import { Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import type { Cache, Informer } from "@homeostat/runtime";
import {
  endpointsVersion,
  parseEndpointTarget,
  type PublishedEndpoint,
  publishedEndpoints,
  RouteGroup,
  Sandbox,
} from "@homeostat/sandbox-operator";
import { buildHost } from "../feed/build-host.ts";
import { hostKeyOf } from "../feed/host-key.ts";
import type { TableFeed } from "../feed/table-feed.ts";
import { HostClaims } from "./host-claims.ts";
import { serviceOfSlice } from "./service-of-slice.ts";

export type EndpointKind = "Sandbox" | "RouteGroup";

/** A Sandbox or RouteGroup with endpoints that gateways serve. */
export interface EndpointObject {
  readonly kind: EndpointKind;
  readonly object: DeepReadonly<Sandbox> | DeepReadonly<RouteGroup>;
  readonly version: string;
  /** Keys of its hosts in the feed. Hosts that an older object has are not among them. */
  readonly hosts: readonly string[];
  readonly endpoints: number;
}

export interface ClusterHostsOptions {
  readonly cache: Cache;
  readonly feed: TableFeed;
  /** Called with the id of an object whose hosts may have changed. */
  readonly onObject?: ((id: string) => void) | undefined;
}

/** The objects of the cluster that preview hosts are built from. */
export class ClusterHosts implements Disposable {
  readonly #feed: TableFeed;
  readonly #onObject: (id: string) => void;
  readonly #informers: { readonly Sandbox: Informer<Sandbox>; readonly RouteGroup: Informer<RouteGroup> };
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice, "service">;
  readonly #claims = new HostClaims();

  constructor({ cache, feed, onObject = () => undefined }: ClusterHostsOptions) {
    this.#feed = feed;
    this.#onObject = onObject;
    this.#informers = { Sandbox: cache.informer(Sandbox), RouteGroup: cache.informer(RouteGroup) };
    this.#services = cache.informer(Service);
    this.#slices = cache.informer(EndpointSlice).index("service", serviceOfSlice);
  }

  /** Ids of all objects with endpoints: `Sandbox/shop/pr-42`. */
  *ids(): Generator<string> {
    for (const kind of ["Sandbox", "RouteGroup"] as const)
      for (const key of this.#informers[kind].keys()) yield `${kind}/${key}`;
  }

  /** Returns an object and its hosts. */
  find(id: string): EndpointObject | undefined {
    const slash = id.indexOf("/");
    const kind = id.slice(0, slash) === "RouteGroup" ? "RouteGroup" : "Sandbox";
    const object = this.#informers[kind].get(id.slice(slash + 1));
    if (object === undefined) return undefined;
    const endpoints = publishedEndpoints(object.status?.endpoints);
    const hosts = endpoints.flatMap((endpoint) => {
      const target = parseEndpointTarget(endpoint.target);
      return target === undefined || this.#claims.winnerOf(endpoint.host)?.id !== id
        ? []
        : [hostKeyOf({ namespace: target.namespace, host: endpoint.host })];
    });
    return { kind, object, version: endpointsVersion(endpoints), hosts, endpoints: endpoints.length };
  }

  /** Waits until all objects are known, and builds all hosts. From then on, the feed follows the cluster. */
  async start(signal: AbortSignal): Promise<void> {
    const { Sandbox: sandboxes, RouteGroup: groups } = this.#informers;
    for (const informer of [sandboxes, groups, this.#services, this.#slices]) await informer.ready(signal);
    for (const id of this.ids()) this.#changed(id);
    sandboxes.subscribe(({ key }) => this.#changed(`Sandbox/${key}`));
    groups.subscribe(({ key }) => this.#changed(`RouteGroup/${key}`));
    this.#services.subscribe(({ key }) => this.#targetChanged(key));
    this.#slices.subscribe(({ object }) => this.#targetChanged(serviceOfSlice(object)));
  }

  [Symbol.dispose](): void {
    const { Sandbox: sandboxes, RouteGroup: groups } = this.#informers;
    for (const each of [sandboxes, groups, this.#services, this.#slices]) each[Symbol.dispose]();
  }

  #changed(id: string): void {
    const found = this.find(id);
    const { creationTimestamp = "", uid = "" } = found?.object.metadata ?? {};
    const endpoints = publishedEndpoints(found?.object.status?.endpoints);
    const claims = endpoints.map((endpoint) => ({ id, age: `${creationTimestamp} ${uid}`, endpoint }));
    for (const host of this.#claims.set(id, claims)) this.#build(host);
    this.#onObject(id);
  }

  #targetChanged(service: string): void {
    for (const host of this.#claims.hostsOf(service)) this.#build(host);
  }

  #build(name: string): void {
    const claim = this.#claims.winnerOf(name);
    const host = claim === undefined ? undefined : this.#hostOf(claim.id, claim.endpoint);
    // A host whose Service is in another namespace than before has another key.
    for (const key of this.#claims.keysOf(name))
      if (host === undefined || key !== hostKeyOf(host)) this.#feed.remove(key);
    if (host === undefined) return;
    this.#claims.remember(name, hostKeyOf(host));
    this.#feed.setHost(host);
  }

  #hostOf(id: string, endpoint: PublishedEndpoint): ReturnType<typeof buildHost> {
    return buildHost({
      endpoint,
      expiresAt: this.find(id)?.object.status?.expiresAt,
      service: (key) => this.#services.get(key),
      slices: (key) => this.#slices.by("service", key),
    });
  }
}
