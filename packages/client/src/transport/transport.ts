/** One HTTP request to the API server, before anybody added credentials to it. */
export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query below the server's URL: `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string;
  readonly timeouts?: Timeouts | undefined;
  /** Whether the answer has no end of its own: it does not count among the requests under way. Default: for a watch. */
  readonly isStream?: boolean;
  /** False where "come back later" is an answer for the caller, as for an eviction. Default: unless it is a stream. */
  readonly isRetried?: boolean;
  /** Whether a request that looks like a write changes nothing: an access review, a dry run. */
  readonly isReadOnly?: boolean;
  /** Whether a part of the answer is of no use: then it is handed over when all of it has arrived, unless it is very long. */
  readonly isWhole?: boolean;
  /** Called at the last moment, after every wait. When it throws, nothing is sent and the caller gets what it threw. */
  readonly beforeSending?: () => void;
  /** What the request is about, for metrics, spans and messages. */
  readonly about?: Subject;
  readonly signal?: AbortSignal | undefined;
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

/** How long to wait for what. `Infinity` means for ever. There is deliberately no limit on the whole of an answer. */
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
  /** False when it is certain that there is no `Warning` among the headers, which then need not be read. */
  readonly mayWarn?: boolean;
  /** The body. Read it or cancel it: until then it holds its connection. */
  readonly body: Body;
}

/** A body in pieces, which can be read once. Leaving the loop early closes the connection. */
export interface Body extends AsyncIterable<Uint8Array> {
  /** Gives the body up unread. Safe to call at any time. */
  cancel(): void;
  /** Reads the whole body at once if all of it has arrived, as it has for most; undefined if not, and nothing is read then. */
  takeWhole?(): Uint8Array | undefined;
}

/** Sends requests. Everything above this line is ours; everything below it is sockets. */
export interface Transport {
  /** Sends a request and resolves with the head of the answer, whatever its status. Rejects when there is no answer. */
  send(request: Request): Promise<Response>;
}

/** Wraps a transport with one concern: retries, a rate limit, metrics, a fence. */
export type Layer = (next: Transport) => Transport;

/** The transport that passes every request through the layers, the first one outermost. */
export function layered(transport: Transport, layers: readonly Layer[]): Transport {
  return layers.reduceRight((next, layer) => layer(next), transport);
}

/** Whether the answer to a request has no end of its own. */
export function isStream(request: Request): boolean {
  return request.isStream ?? request.about?.verb === "watch";
}

/** Whether a request may change something on the server. */
export function isWrite({ method, isReadOnly }: Request): boolean {
  return method !== "GET" && isReadOnly !== true;
}
