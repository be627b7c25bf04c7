// The objects in the cache that request preview hosts.

import { type DeepReadonly, formatTime, parseTime, withoutUndefined } from "@homeostat/core";
import type { CacheReader } from "@homeostat/runtime";
import { type CachedPreviewLink, PreviewLink } from "../api/preview-link.ts";
import { hostsVersion, type PublishedEndpoint, publishedEndpoints } from "../api/published-endpoints.ts";
import { type CachedRouteGroup, RouteGroup } from "../api/route-group.ts";
import type { CachedRouteTable, TableHost } from "../api/route-table.ts";
import { type EndpointKind, tokensMax } from "../api/route-table-hosts.ts";
import { type CachedSandbox, Sandbox } from "../api/sandbox.ts";
import { parseEndpointTarget } from "../api/spec-endpoint.ts";
import type { Aged } from "../routes/keys.ts";
import { type HostClaim, oldestClaim } from "../routes/preview-hosts.ts";

type EndpointObject = CachedSandbox | CachedRouteGroup;

/** Cache indexes of kinds with endpoints. */
export const endpointIndexes = {
  host: (object: EndpointObject) => endpointsOf(object).map(({ host }) => host),
  endpointService: (object: EndpointObject) => servicesOf(object),
};

/** Cache indexes of PreviewLinks. */
export const linkIndexes = {
  target: ({ metadata, spec }: CachedPreviewLink) =>
    `${spec.targetRef.kind}/${metadata.namespace ?? ""}/${spec.targetRef.name}`,
  /** Hosts of share links. Each link has its own host. */
  host: ({ spec, status }: CachedPreviewLink) => (spec.mode === "Share" ? status?.host : undefined),
  tokenId: ({ status }: CachedPreviewLink) => status?.tokenId,
};

/** Cache indexes of RouteTables. */
export const hostIndexes = {
  host: ({ spec }: CachedRouteTable) => (spec.hosts ?? []).map(({ host }) => host),
};

/** Returns the part of a table that endpoints of objects depend on: the hosts and their owners, without the tokens. */
export function publishedHosts({ hosts = [], omittedHosts = 0 }: CachedRouteTable["spec"]): readonly unknown[] {
  return [hostsVersion(hosts), hosts.map(({ owner }) => owner.uid), omittedHosts];
}

/** Returns the claims to the hosts of a Service that no older object owns. */
export function hostClaims(service: string, cache: CacheReader): readonly HostClaim[] {
  return [
    ...cache.by(Sandbox, "endpointService", service).flatMap((object) => claimsOf("Sandbox", object, cache)),
    ...cache.by(RouteGroup, "endpointService", service).flatMap((object) => claimsOf("RouteGroup", object, cache)),
  ].filter(({ host, owner }) => serviceOf(host.target) === service && isOldest(host.host, owner, cache));
}

/**
 * Returns the keys of the Services whose tables depend on the endpoints of an object: those that its hosts route to, and those of other objects that
 * request the same hosts and may now get them.
 */
export function servicesOfEndpoints(object: EndpointObject, cache: CacheReader): readonly string[] {
  const hosts = endpointsOf(object).map(({ host }) => host);
  return [...new Set([...servicesOf(object), ...hosts.flatMap((host) => servicesOfHost(host, cache))])];
}

/** Returns the keys of the Services whose tables depend on a link. */
export function servicesOfLink(link: CachedPreviewLink, cache: CacheReader): readonly string[] {
  const { kind, name } = link.spec.targetRef;
  const key = { namespace: link.metadata.namespace ?? "", name };
  const target = kind === "Sandbox" ? cache.get(Sandbox, key) : cache.get(RouteGroup, key);
  const host = linkIndexes.host(link);
  return [
    ...new Set([
      ...(target === undefined ? [] : servicesOf(target)),
      ...(host === undefined ? [] : servicesOfHost(host, cache)),
    ]),
  ];
}

/** Returns the keys of the Sandboxes or RouteGroups whose endpoints depend on a table: those that request one of its hosts. */
export function keysOfHosts(
  { spec }: DeepReadonly<Pick<CachedRouteTable, "spec">>,
  byHost: (host: string) => readonly EndpointObject[],
): readonly string[] {
  const objects = (spec.hosts ?? []).flatMap(({ host }) => byHost(host));
  return [...new Set(objects.map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`))];
}

function isOldest(host: string, owner: Aged, cache: CacheReader): boolean {
  const links = cache.by(PreviewLink, "host", host).flatMap(({ metadata: { namespace = "" }, spec }) => {
    const key = { namespace, name: spec.targetRef.name };
    return (spec.targetRef.kind === "Sandbox" ? cache.get(Sandbox, key) : cache.get(RouteGroup, key)) ?? [];
  });
  const objects = [...cache.by(Sandbox, "host", host), ...cache.by(RouteGroup, "host", host), ...links];
  return oldestClaim(objects.map((object) => ({ owner: agedOf(object) })))?.owner.uid === owner.uid;
}

/** Returns the hosts of the endpoints of an object, and those of the links to them. */
function claimsOf(kind: EndpointKind, object: EndpointObject, cache: CacheReader): readonly HostClaim[] {
  const { namespace = "", name = "", uid = "" } = object.metadata;
  const owner = agedOf(object);
  const tableOwner = { kind, namespace, name, uid };
  // Without an ID, the operator has not issued the token, or has revoked it.
  const links = cache
    .by(PreviewLink, "target", `${kind}/${namespace}/${name}`)
    .filter(({ status }) => status?.tokenId !== undefined && status.host !== undefined)
    .toSorted((a, b) => ((a.metadata.creationTimestamp ?? "") < (b.metadata.creationTimestamp ?? "") ? 1 : -1));
  return endpointsOf(object).flatMap((endpoint): readonly HostClaim[] => {
    const own = links.filter(({ spec }) => spec.endpoint === endpoint.name);
    const tokens = own
      .filter(({ spec, status }) => spec.mode === "Personal" && status?.host === endpoint.host)
      .flatMap(({ status }) => status?.tokenId ?? [])
      .slice(0, tokensMax)
      .sort();
    const shared = own.filter(({ spec }) => spec.mode === "Share");
    return [
      {
        owner,
        host: { ...hostOf(endpoint), ...withoutUndefined({ expiresAt: endOf(object) }), tokens, owner: tableOwner },
      },
      ...shared.map(({ status }) => ({
        owner,
        host: {
          ...hostOf(endpoint),
          ...withoutUndefined({ expiresAt: status?.expiresAt }),
          host: status?.host ?? "",
          auth: "Token" as const,
          tokens: [status?.tokenId ?? ""],
          owner: tableOwner,
        },
      })),
    ];
  });
}

function hostOf({
  host,
  target,
  auth,
  path,
  routingKey,
  defaultRoutingKey,
  tls,
}: PublishedEndpoint): Omit<TableHost, "owner"> {
  return { host, target, auth, path, ...withoutUndefined({ routingKey, defaultRoutingKey, tls }) };
}

const hourMs = 3_600_000;

/**
 * Returns the expiry of the hosts of an object, rounded up to the hour. The operator deletes the object at its exact expiry; rounding keeps a
 * lifetime that every request extends from changing the table each time.
 */
function endOf({ status }: EndpointObject): string | undefined {
  const { expiresAt } = status ?? {};
  return expiresAt === undefined ? undefined : formatTime(Math.ceil(parseTime(expiresAt) / hourMs) * hourMs);
}

/** Returns the endpoints that gateways may serve. Those of an object that is being deleted are withdrawn at once. */
function endpointsOf({ metadata, status }: EndpointObject): readonly PublishedEndpoint[] {
  return metadata.deletionTimestamp === undefined ? publishedEndpoints(status?.endpoints) : [];
}

function servicesOf(object: EndpointObject): readonly string[] {
  return [...new Set(endpointsOf(object).flatMap(({ target }) => serviceOf(target) ?? []))];
}

function servicesOfHost(host: string, cache: CacheReader): readonly string[] {
  return [...cache.by(Sandbox, "host", host), ...cache.by(RouteGroup, "host", host)].flatMap(servicesOf);
}

function serviceOf(target: string): string | undefined {
  const parsed = parseEndpointTarget(target);
  return parsed && `${parsed.namespace}/${parsed.service}`;
}

function agedOf({ metadata: { uid = "", creationTimestamp: createdAt = "" } }: EndpointObject): Aged {
  return { uid, createdAt };
}
