// Endpoints that gateways serve, as the operator publishes them in the status of their objects.
//
// The route server reads the status and not the spec: an endpoint is in the status only after the operator has checked it against the
// policies and the owners of keys.

import { hash8 } from "./names.ts";

/** An endpoint that gateways serve. */
export interface PublishedEndpoint {
  readonly name: string;
  readonly host: string;
  /** URL of a Service: `http://frontend.shop.svc:8080`. */
  readonly target: string;
  readonly auth: "Token" | "Forward" | "None";
  readonly path: string;
  /** Key of all requests to the host. */
  readonly routingKey?: string | undefined;
  /** Key of requests without a key. */
  readonly defaultRoutingKey?: string | undefined;
}

/** An endpoint in the status of a Sandbox or a RouteGroup. */
export type EndpointState = { readonly name: string } & {
  readonly [K in Exclude<keyof PublishedEndpoint, "name">]?: PublishedEndpoint[K] | undefined;
};

/** Returns the endpoints of a status that gateways serve. */
export function publishedEndpoints(endpoints: readonly EndpointState[] = []): readonly PublishedEndpoint[] {
  return endpoints.flatMap(({ name, host, target, auth, path = "/", routingKey, defaultRoutingKey }) =>
    host === undefined || target === undefined || auth === undefined
      ? []
      : [{ name, host, target, auth, path, routingKey, defaultRoutingKey }],
  );
}

/** Returns the hash by which gateways confirm endpoints. */
export function endpointsVersion(endpoints: readonly PublishedEndpoint[]): string {
  return hash8(
    endpoints.flatMap(({ name, host, target, auth, path, routingKey = "", defaultRoutingKey = "" }) => [
      name,
      host,
      target,
      auth,
      path,
      routingKey,
      defaultRoutingKey,
    ]),
  );
}

/** Confirmations of the gateways that are connected to one replica of the route server. */
export interface GatewayCounts {
  readonly version: string;
  readonly total: number;
  readonly synced: number;
}

/** Reports whether all live gateways serve the endpoints with this hash, and there is one. */
export function isServed(gateways: readonly GatewayCounts[] = [], version: string): boolean {
  const live = gateways.filter(({ total }) => total > 0);
  return live.length > 0 && live.every((each) => each.version === version && each.synced === each.total);
}
