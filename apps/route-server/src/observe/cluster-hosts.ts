// Keeps the preview hosts of the feed equal to the endpoints that the operator has published.

import type { DeepReadonly } from "@homeostat/core";
import { Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { hostTokensMax } from "@homeostat/routing";
import type { Cache, Informer } from "@homeostat/runtime";
import {
  endpointsVersion,
  parseEndpointTarget,
  PreviewLink,
  publishedEndpoints,
  RouteGroup,
  Sandbox,
} from "@homeostat/sandbox-operator";
import { buildHost } from "../feed/build-host.ts";
import { hostKeyOf } from "../feed/host-key.ts";
import type { TableFeed } from "../feed/table-feed.ts";
import { type HostClaim, HostClaims } from "./host-claims.ts";
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
  readonly #links: Informer<PreviewLink, "target" | "tokenId">;
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice, "service">;
  readonly #claims = new HostClaims();

  constructor({ cache, feed, onObject = () => undefined }: ClusterHostsOptions) {
    this.#feed = feed;
    this.#onObject = onObject;
    this.#informers = { Sandbox: cache.informer(Sandbox), RouteGroup: cache.informer(RouteGroup) };
    this.#links = cache
      .informer(PreviewLink)
      .index("target", targetOf)
      .index("tokenId", ({ status }) => status?.tokenId);
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

  /** Returns the link of a token. */
  linkOf(tokenId: string): DeepReadonly<PreviewLink> | undefined {
    return this.#links.by("tokenId", tokenId)[0];
  }

  /** Waits until all objects are known, and builds all hosts. From then on, the feed follows the cluster. */
  async start(signal: AbortSignal): Promise<void> {
    const { Sandbox: sandboxes, RouteGroup: groups } = this.#informers;
    for (const informer of [sandboxes, groups, this.#links, this.#services, this.#slices]) await informer.ready(signal);
    for (const id of this.ids()) this.#changed(id);
    sandboxes.subscribe(({ key }) => this.#changed(`Sandbox/${key}`));
    groups.subscribe(({ key }) => this.#changed(`RouteGroup/${key}`));
    this.#links.subscribe(({ object }) => this.#changed(targetOf(object)));
    this.#services.subscribe(({ key }) => this.#targetChanged(key));
    this.#slices.subscribe(({ object }) => this.#targetChanged(serviceOfSlice(object)));
  }

  [Symbol.dispose](): void {
    const { Sandbox: sandboxes, RouteGroup: groups } = this.#informers;
    for (const each of [sandboxes, groups, this.#links, this.#services, this.#slices]) each[Symbol.dispose]();
  }

  #changed(id: string): void {
    const found = this.find(id);
    const claims = found === undefined ? [] : this.#claimsOf(id, found.object);
    for (const host of this.#claims.set(id, claims)) this.#build(host);
    this.#onObject(id);
  }

  /** Returns the hosts of the endpoints of an object, and those of the links to them. */
  #claimsOf(id: string, { metadata, status }: EndpointObject["object"]): readonly HostClaim[] {
    const { creationTimestamp = "", uid = "" } = metadata;
    const age = `${creationTimestamp} ${uid}`;
    const links = this.#links.by("target", id).flatMap(({ spec, status: issued }) => {
      const { tokenId, host, expiresAt } = issued ?? {};
      // Without an id, the operator has not issued the token, or has revoked it.
      return tokenId === undefined || host === undefined ? [] : [{ ...spec, tokenId, host, expiresAt }];
    });
    return publishedEndpoints(status?.endpoints).flatMap((endpoint): readonly HostClaim[] => {
      const own = links.filter((link) => link.endpoint === endpoint.name);
      const personal = own.filter(({ mode, host }) => mode === "Personal" && host === endpoint.host);
      const shared = own.filter(({ mode }) => mode === "Share");
      return [
        {
          id,
          age,
          endpoint,
          tokens: personal.map(({ tokenId }) => tokenId).slice(0, hostTokensMax),
          expiresAt: status?.expiresAt,
        },
        ...shared.map(({ host, tokenId, expiresAt }) => ({
          id,
          age,
          endpoint: { ...endpoint, host, auth: "Token" as const },
          tokens: [tokenId],
          expiresAt,
        })),
      ];
    });
  }

  #targetChanged(service: string): void {
    for (const host of this.#claims.hostsOf(service)) this.#build(host);
  }

  #build(name: string): void {
    const claim = this.#claims.winnerOf(name);
    const host = claim === undefined ? undefined : this.#hostOf(claim);
    // A host whose Service is in another namespace than before has another key.
    for (const key of this.#claims.keysOf(name))
      if (host === undefined || key !== hostKeyOf(host)) this.#feed.remove(key);
    if (host === undefined) return;
    this.#claims.remember(name, hostKeyOf(host));
    this.#feed.setHost(host);
  }

  #hostOf({ endpoint, tokens, expiresAt }: HostClaim): ReturnType<typeof buildHost> {
    return buildHost({
      endpoint,
      tokens,
      expiresAt,
      service: (key) => this.#services.get(key),
      slices: (key) => this.#slices.by("service", key),
    });
  }
}

/** Returns the id of the object of a link. */
function targetOf({ metadata, spec }: DeepReadonly<PreviewLink>): string {
  return `${spec.targetRef.kind}/${metadata.namespace ?? ""}/${spec.targetRef.name}`;
}
