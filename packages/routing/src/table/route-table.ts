/** Ways in which requests for a Service reach the renderer of its routes. */
export type Interception = "Takeover" | "Sidecar" | "Mesh" | "None";

/** Origin of an entry: the key of a sandbox, the match of a RouteGroup, or an explicit route of a RouteGroup. */
export type EntrySource = "Sandbox" | "RouteGroup" | "Explicit";

/** Reaction to a request for a workload that exists but has no ready target. */
export type OnUnavailable = "Baseline" | "Fail" | "Hold";

/** Value that keeps a caller on one side of a split by percent. */
export type StickyBy = "TraceId" | "ClientIP" | "Header" | "None";

/** Type of a workload of a sandbox: a fork in the cluster, a process behind a tunnel, or the baseline itself. */
export type EntryMode = "Fork" | "Local" | "Virtual";

/**
 * The routes of one baseline Service, as the route server sends them to proxies in JSON.
 *
 * The addresses of targets are part of it; they are not stored in the RouteTable object of the cluster.
 */
export interface RouteTable {
  readonly namespace: string;
  /** Name of the baseline Service. */
  readonly service: string;
  /** Hash of the content. */
  readonly version: string;
  /** Default Takeover. */
  readonly interception?: Interception | undefined;
  /** True if requests without a key get that of earlier requests of their trace. Default false. */
  readonly restoreKeys?: boolean | undefined;
  readonly ports: readonly TablePort[];
  /** Entries in the order in which they are tried, for each key. Explicit routes are tried first in any order of the list. */
  readonly entries: readonly RouteEntry[];
}

/** A port of the baseline Service. */
export interface TablePort {
  /** Port of the Service. */
  readonly port: number;
  readonly name?: string | undefined;
  /** `appProtocol` of the Service port: `http`, `kubernetes.io/h2c`, `grpc`, `tcp`. */
  readonly appProtocol?: string | undefined;
  /** Port on which the proxy listens for this port; it identifies Service and port. Absent in a mesh. */
  readonly listen?: number | undefined;
  /**
   * Target port of the Service, in tables for sidecars. A sidecar finds the port of its own pod by this name; a number, kept as text, is
   * the name of no port.
   */
  readonly targetPort?: string | undefined;
  /** Address of the baseline: `cart--base.shop.svc:80`. */
  readonly baselineTarget: string;
}

/** A route: requests with this key that meet the conditions go to this workload of this sandbox. */
export interface RouteEntry {
  readonly routingKey: string;
  readonly sandbox: string;
  readonly sandboxUid?: string | undefined;
  /** Name of the workload in the sandbox. */
  readonly workload: string;
  /** Default Fork. A Virtual entry sends requests to the baseline, through the middleware of the entry. */
  readonly mode?: EntryMode | undefined;
  readonly source: EntrySource;
  /** Name of the RouteGroup; absent if the source is Sandbox. */
  readonly routeGroup?: string | undefined;
  /** Conditions; without it every request with the key matches. */
  readonly match?: EntryMatch | undefined;
  /** Share of the matching requests that go to the workload, from 0 to 100; the others go to the baseline. Default 100. */
  readonly percent?: number | undefined;
  /** Default TraceId. */
  readonly stickyBy?: StickyBy | undefined;
  /** Header whose value is used if `stickyBy` is Header. Default `x-sticky-key`. */
  readonly stickyHeader?: string | undefined;
  /** Headers that the proxy sets on forwarded requests. */
  readonly additionalHeaders?: Readonly<Record<string, string>> | undefined;
  /** Default Fail. */
  readonly onUnavailable?: OnUnavailable | undefined;
  /**
   * Seconds for which a request waits for a ready target. Default 90 if `onUnavailable` is Hold, else 0.
   *
   * With Baseline or Fail, the request waits first: a process behind a tunnel that was just lost gets time to reconnect.
   */
  readonly holdSeconds?: number | undefined;
  /** Seconds without a request after which the sandbox sleeps; absent if it never does. The route server records activity more often then. */
  readonly sleepAfterSeconds?: number | undefined;
  /** Targets by port of the Service. A port without one goes to the baseline. Empty for a Virtual entry. */
  readonly ports: readonly EntryPort[];
  readonly middleware?: EntryMiddleware | undefined;
}

/** Conditions of an entry. All lists that are present must match. */
export interface EntryMatch {
  /** Alternatives; one must match. */
  readonly paths?: readonly PathMatch[] | undefined;
  /** Alternatives; one must be equal to the method of the request. */
  readonly methods?: readonly string[] | undefined;
  /** Headers that must all have the given value. */
  readonly headers?: readonly HeaderMatch[] | undefined;
}

/**
 * A condition on the path. A prefix consists of whole segments, as in the Gateway API: `/api/cart` matches `/api/cart` and
 * `/api/cart/1`, not `/api/carts`.
 */
export type PathMatch = { readonly prefix: string } | { readonly exact: string };

/** A condition on a header: its value is exactly this one. */
export interface HeaderMatch {
  readonly name: string;
  readonly value: string;
}

/** Targets of an entry for one port of the Service. */
export interface EntryPort {
  /** Port of the baseline Service. */
  readonly port: number;
  /** Service of the workload, in the namespace of the table. */
  readonly targetService: string;
  readonly targetPort: number;
  /**
   * Ready endpoints of the Service as `host:port`, kept current by the route server. An empty list means that no target is ready. If
   * it is absent, the endpoints are unknown and the proxy connects to the Service.
   */
  readonly addresses?: readonly string[] | undefined;
}

/** Processing of the requests of an entry on their way. */
export interface EntryMiddleware {
  /** True if requests are recorded. Default false. */
  readonly record?: boolean | undefined;
  /** True if the proxy logs the requests that the entry considers. Default false. */
  readonly accessLog?: boolean | undefined;
  /** Faults to inject; the first one that applies to a request is used. */
  readonly faults?: readonly Fault[] | undefined;
}

/** A delay or an error that the proxy injects into requests of one sandbox. */
export interface Fault {
  /** Share of the requests, from 0 to 100. Default 100. */
  readonly percent?: number | undefined;
  readonly delayMs?: number | undefined;
  /** Upper bound of a random addition to the delay. */
  readonly jitterMs?: number | undefined;
  /** HTTP status that the proxy responds with instead of forwarding. */
  readonly abortCode?: number | undefined;
  /** gRPC status that the proxy responds with instead of forwarding. */
  readonly abortGrpcStatus?: number | undefined;
  readonly paths?: readonly PathMatch[] | undefined;
  readonly methods?: readonly string[] | undefined;
}
