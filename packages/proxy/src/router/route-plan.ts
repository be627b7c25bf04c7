import type { HeaderEdits, RequestView } from "@homeostat/routing";
import type { ClientShare } from "../limits/client-share.ts";
import type { UpstreamTls } from "../upstream/upstream-tls.ts";
import type { ProxyErrorReason } from "./error-reason.ts";

/** A request whose head an engine has received and checked. */
export interface IncomingRequest extends RequestView {
  /** Protocol of the client. That of the upstream is {@link ForwardPlan.upstreamProtocol}. */
  readonly protocol: HttpProtocol;
  readonly scheme: "http" | "https";
  /** `host` or `:authority`. */
  readonly authority: string | undefined;
  /** True for a request to switch protocols: `upgrade` of HTTP/1.1, or extended CONNECT of HTTP/2. */
  readonly isUpgrade: boolean;
  /** True for gRPC. The proxy's own errors are then responses with trailers only, which gRPC clients understand. */
  readonly isGrpc: boolean;
}

export type HttpProtocol = "http1" | "http2";

/**
 * Chooses the destinations of the requests of one listener.
 *
 * The engines know neither tables nor keys: they parse, ask the router, and forward. All engines therefore decide alike.
 */
export interface Router {
  /**
   * Returns the plan of a request. Never throws. A plan holds all that the request needs, so a request that began before a change
   * of the tables ends with the tables that it began with.
   */
  route(request: IncomingRequest): RoutePlan;
}

/** Steps that an engine takes with a request. */
export type RoutePlan = ForwardPlan | RespondPlan | HoldPlan;

/** The request goes to one of the targets. */
export interface ForwardPlan {
  readonly type: "forward";
  readonly destination: Destination;
  /** Name under which the balancer counts the requests of this workload. */
  readonly workload: string;
  /** Addresses as `host:port`; never empty. The balancer chooses one. */
  readonly targets: readonly string[];
  /** Protocol of the client, or HTTP/2 if the application speaks nothing else. Only the safe engine translates. */
  readonly upstreamProtocol: HttpProtocol;
  /** TLS of the connection to the target, which then speaks HTTP/1.1. Default: none. */
  readonly upstreamTls?: UpstreamTls | undefined;
  /** Path and query to forward. */
  readonly path: string;
  readonly edits: HeaderEdits;
  /** Header fields to add to the response, with lower-case names. */
  readonly responseHeaders: readonly (readonly [name: string, value: string])[];
  /** Delay before forwarding, from a fault that the user injects. */
  readonly delayMs: number;
}

/** The proxy responds itself. */
export interface RespondPlan {
  readonly type: "respond";
  readonly destination: Destination;
  readonly status: number;
  /** Status of the response to a gRPC request. */
  readonly grpcStatus: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Plain text in ASCII. */
  readonly body: string;
  readonly delayMs: number;
  /** Reason that the engine reports to the observer; absent for a fault that the user injects. */
  readonly reason?: ProxyErrorReason | undefined;
}

/** The request waits for a ready target. The engine reads no more of its body meanwhile. */
export interface HoldPlan {
  readonly type: "hold";
  readonly destination: Destination;
  /** Workload whose limits of held requests and bytes apply. */
  readonly workload: string;
  /**
   * Resolves to the plan to continue with: when a target is ready, when the time is over, or at once with a response if
   * too many requests or bytes wait. Rejects only when the signal aborts, because the client left.
   *
   * `bufferedBytes` is the part of the body that arrived together with the head. It counts towards the limit of the workload. `client` is given
   * for connections with several requests at a time, which get a share of the limit.
   */
  wait(signal: AbortSignal, bufferedBytes?: number, client?: ClientShare): Promise<ForwardPlan | RespondPlan>;
}

/** Labels of metrics and access logs; few different values. */
export interface Destination {
  readonly namespace: string;
  readonly service: string;
  readonly kind: "baseline" | "sandbox";
  /** Name of the sandbox, or an empty text for the baseline. */
  readonly sandbox: string;
  /** Name of the workload in the sandbox, or an empty text for the baseline. */
  readonly workload: string;
  /** UID of the sandbox, if the table has it. */
  readonly sandboxUid?: string | undefined;
  /** The request, if it is logged or traced. Only then is a destination an object of one request. */
  readonly record?: RequestRecord | undefined;
}

/** Facts about one request that is logged or traced. */
export interface RequestRecord {
  /** The destination that all requests to it share. */
  readonly shared: Destination;
  /** Reason for the destination: `route`, or why the request goes to the baseline or fails. */
  readonly reason: string;
  readonly isLogged: boolean;
  /** Span of the sender, if the request is traced. */
  readonly parent: { readonly traceId: string; readonly parentId: string } | undefined;
}
