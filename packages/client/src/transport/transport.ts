/** An HTTP request to the API server, without credentials. */
export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query below the server's URL: `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string;
  readonly timeouts?: Timeouts | undefined;
  /** True if the response has no defined end. It then does not count as a concurrent request. Default: true for a watch. */
  readonly isStream?: boolean;
  /** False if the caller handles `Retry-After` itself, as for an eviction. Default: true unless it is a stream. */
  readonly isRetried?: boolean;
  /** True if a request changes nothing although its method is that of a write: an access review, a dry run. */
  readonly isReadOnly?: boolean;
  /** True if the caller needs the whole body: the response is then returned when all of it has arrived, unless it is very long. */
  readonly isWhole?: boolean;
  /** Called just before the request is written, after all waits. If it throws, nothing is sent and the caller gets the error. */
  readonly beforeSending?: () => void;
  /** The verb and object of the request, for metrics, spans and messages. */
  readonly about?: Subject;
  readonly signal?: AbortSignal | undefined;
}

/** The verb and object of a request. */
export interface Subject {
  /** The Kubernetes verb: get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verb: string;
  /** The plural with its group: `deployments.apps`, `pods/status`. */
  readonly resource: string;
  /** `namespace/name` for a request about one object. */
  readonly key?: string;
}

/** Time limits of a request. `Infinity` disables a limit. There is deliberately no limit on the total time of a response. */
export interface Timeouts {
  /** The time limit for connecting, including the TLS handshake. */
  readonly connectMs?: number;
  /** The time limit from sending the request to the head of the response. */
  readonly headersMs?: number;
  /** The time limit between two pieces of the response body. */
  readonly idleMs?: number;
}

/**
 * Default time limits. A watch sets its own `idleMs`. The total time of a request is never limited.
 *
 * `headersMs` is longer than the 60 s after which an API server responds with a timeout, so that its response is received.
 */
export const defaultTimeouts: Required<Timeouts> = { connectMs: 10_000, headersMs: 70_000, idleMs: 60_000 };

/** The status and headers of a response, and its body as it arrives. */
export interface Response {
  readonly status: number;
  /** Headers by lowercase name; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** False if the headers certainly contain no `Warning`, so that they need not be parsed to look for one. */
  readonly mayWarn?: boolean;
  /** The body. Read it or cancel it; until then it occupies its connection. */
  readonly body: Body;
}

/** A body as an iterable of pieces. It can be read once. Leaving the loop early closes the connection. */
export interface Body extends AsyncIterable<Uint8Array> {
  /** Discards the body. Safe to call at any time. */
  cancel(): void;
  /** Returns the whole body without waiting if all of it has arrived. Otherwise returns undefined and reads nothing. */
  takeWhole?(): Uint8Array | undefined;
}

/** Sends requests. This is the interface between the client and the sockets; tests implement it. */
export interface Transport {
  /** Sends a request and resolves with the head of the response, whatever its status. Rejects if there is no response. */
  send(request: Request): Promise<Response>;
}

/** Wraps a transport to add a feature such as retries, a rate limit, metrics or a fence. */
export type Layer = (next: Transport) => Transport;

/** Wraps a transport in layers. The first one is outermost. */
export function layered(transport: Transport, layers: readonly Layer[]): Transport {
  return layers.reduceRight((next, layer) => layer(next), transport);
}

/** Reports whether the response to a request has no defined end. */
export function isStream(request: Request): boolean {
  return request.isStream ?? request.about?.verb === "watch";
}

/** Reports whether a request may change something on the server. */
export function isWrite({ method, isReadOnly }: Request): boolean {
  return method !== "GET" && isReadOnly !== true;
}
