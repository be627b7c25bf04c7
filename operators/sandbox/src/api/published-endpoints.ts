// Publication of preview endpoints: from Sandboxes and RouteGroups to gateways.
//
// An endpoint that the operator has checked against the policies and the owners of keys has a host in the status of its object. The table
// controller publishes these hosts, with the tokens of PreviewLinks, in the RouteTable of the Service. The route server and gateways read only
// the tables.

import { hash8 } from "./names.ts";
import type { CachedRouteTable, TableHost } from "./route-table.ts";

/** An endpoint that gateways serve. */
export interface PublishedEndpoint {
  readonly name: string;
  readonly host: string;
  /** URL of a Service: `http://frontend.shop.svc:8080`. */
  readonly target: string;
  readonly auth: "Token" | "Forward" | "None";
  readonly path: string;
  /** Routing key that gateways set on all requests to the host. */
  readonly routingKey?: string | undefined;
  /** Routing key that gateways set on requests without one. */
  readonly defaultRoutingKey?: string | undefined;
  /** Trust in the certificate of the Service; present if gateways connect to it with TLS. */
  readonly tls?: PublishedTls | undefined;
}

/** Trust of gateways in the certificate of a Service. */
export interface PublishedTls {
  readonly caBundle: string;
  readonly serverName: string;
}

/** An endpoint in the status of a Sandbox or a RouteGroup. */
export type EndpointState = { readonly name: string; readonly ready?: boolean | undefined } & {
  readonly [K in Exclude<keyof PublishedEndpoint, "name">]?: PublishedEndpoint[K] | undefined;
};

/** Returns the endpoints of a status that gateways serve. */
export function publishedEndpoints(endpoints: readonly EndpointState[] = []): readonly PublishedEndpoint[] {
  return endpoints.flatMap(({ name, host, target, auth, path = "/", routingKey, defaultRoutingKey, tls }) =>
    host === undefined || target === undefined || auth === undefined
      ? []
      : [{ name, host, target, auth, path, routingKey, defaultRoutingKey, ...(tls && { tls }) }],
  );
}

/** The content of a preview host that gateways confirm. Gateways do not confirm changes of tokens and of the expiry. */
type ConfirmedHost = Pick<TableHost, "host" | "target" | "auth" | "path"> & {
  readonly routingKey?: string | undefined;
  readonly defaultRoutingKey?: string | undefined;
  readonly tls?: PublishedTls | undefined;
};

/** Returns the hash by which gateways confirm the preview hosts of a table. */
export function hostsVersion(hosts: readonly ConfirmedHost[]): string {
  return hash8(
    hosts.flatMap(({ host, target, auth, path, routingKey = "", defaultRoutingKey = "", tls }) => [
      host,
      target,
      auth,
      path,
      routingKey,
      defaultRoutingKey,
      ...(tls === undefined ? [] : [tls.serverName, tls.caBundle]),
    ]),
  );
}

/**
 * State of a preview host: `served` by all gateways, `waiting` for some of them, `unknown` until they have confirmed the current hosts of the table,
 * or `noGateway`.
 */
export type HostState = "served" | "waiting" | "unknown" | "noGateway";

/** Returns the state of a host of a table. */
export function hostState({ spec, status }: Pick<CachedRouteTable, "spec" | "status">, host: string): HostState {
  const live = (status?.replicas ?? []).flatMap(({ hosts }) =>
    hosts === undefined || hosts.gateways === 0 ? [] : [hosts],
  );
  if (live.length === 0) return "noGateway";
  const version = hostsVersion(spec.hosts ?? []);
  const current = live.filter((each) => each.version === version);
  if (current.some(({ unserved = [] }) => unserved.includes(host))) return "waiting";
  return current.length === live.length ? "served" : "unknown";
}
