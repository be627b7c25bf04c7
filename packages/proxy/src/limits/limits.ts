/** Limits and time limits of a proxy. All durations are in milliseconds, all sizes in bytes. */
export interface ProxyLimits {
  readonly connectMs: number;
  readonly tlsHandshakeMs: number;
  /** From the first byte of a request, or of a connection, to the end of its head. */
  readonly requestHeadMs: number;
  /** From the end of the request to the head of the response. gRPC requests have `grpc-timeout` instead, or no limit. */
  readonly responseHeadMs: number;
  /** Time without a byte in either direction. */
  readonly streamIdleMs: number;
  /** The same for WebSockets and server-sent events. */
  readonly longStreamIdleMs: number;
  readonly clientKeepAliveMs: number;
  /** Shorter than the keep-alive of servers, so that their close cannot race with a new request. */
  readonly upstreamKeepAliveMs: number;
  readonly headBytesMax: number;
  readonly headersMax: number;
  readonly connectionsMax: number;
  /** Requests of one workload that wait for a connection or a response head. */
  readonly pendingMax: number;
  /** Held requests of one workload, and the bytes of their bodies. */
  readonly heldMax: number;
  readonly heldBytesMax: number;
  /** Further attempts of a request at another target: 0 or 1. */
  readonly retriesMax: number;
  /** Idle upstream connections kept per address. */
  readonly idleUpstreamsMax: number;
  /** Time for running requests to finish when the proxy stops. */
  readonly drainMs: number;
}

export const defaultLimits: ProxyLimits = {
  connectMs: 1_000,
  tlsHandshakeMs: 3_000,
  requestHeadMs: 10_000,
  responseHeadMs: 30_000,
  streamIdleMs: 300_000,
  longStreamIdleMs: 3_600_000,
  clientKeepAliveMs: 75_000,
  upstreamKeepAliveMs: 55_000,
  headBytesMax: 32_768,
  headersMax: 200,
  connectionsMax: 10_000,
  pendingMax: 1_024,
  heldMax: 512,
  heldBytesMax: 8 * 1024 * 1024,
  retriesMax: 1,
  idleUpstreamsMax: 64,
  drainMs: 30_000,
};
