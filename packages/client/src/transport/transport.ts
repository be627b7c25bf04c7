/** One HTTP request to the API server, before anybody added credentials to it. */
export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query below the server's URL: `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string;
  readonly signal?: AbortSignal | undefined;
  readonly timeouts?: Timeouts;
  /** What the request is about, for metrics, spans and messages. */
  readonly about?: Subject;
}

/** What a request is about. */
export interface Subject {
  /** The Kubernetes verb: get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verb: string;
  /** The plural with its group: `deployments.apps`, `pods/status`. */
  readonly resource: string;
  /** `namespace/name`, where one object is meant. */
  readonly key?: string;
}

/** How long to wait for what. Undefined means for ever. There is deliberately no limit on the whole of an answer. */
export interface Timeouts {
  /** Until the connection stands, TLS included. */
  readonly connectMs?: number;
  /** From the last byte of the request to the first of the answer. */
  readonly headersMs?: number;
  /** Between two pieces of the answer's body. */
  readonly idleMs?: number;
}

/** The head of an answer, and its body as it arrives. */
export interface Response {
  readonly status: number;
  /** Lower-case names; a header sent twice is joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body in pieces. Leaving the loop early, or never entering it and calling `cancel`, closes the connection or drains it.
   */
  readonly body: Body;
}

/** A body that can be read once. */
export interface Body extends AsyncIterable<Uint8Array> {
  /** Gives the body up unread. Safe to call at any time. */
  cancel(): void;
}

/** Sends requests. Everything above this line is ours; everything below it is sockets. */
export interface Transport {
  send(request: Request): Promise<Response>;
}

/** Wraps a transport with one concern: credentials, retries, a rate limit, metrics, a fence. */
export type Layer = (next: Transport) => Transport;

/** The transport that passes every request through the layers, the first one outermost. */
export function layered(transport: Transport, layers: readonly Layer[]): Transport {
  return layers.reduceRight((next, layer) => layer(next), transport);
}
