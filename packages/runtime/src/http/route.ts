/** A request, as seen by a route. */
export interface RouteRequest {
  /**
   * Decoded segments of the path after the route's own path: `["tenants", "a"]` for `/why/tenants/a` on the route
   * `/why`.
   */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
}

/** The response of a route. */
export interface RouteResponse {
  readonly status: number;
  /** Default: `text/plain`. */
  readonly contentType?: string;
  readonly body: string;
}

/** A handler of `GET` and `HEAD` requests for a path and everything below it. */
export interface Route {
  /** Path such as `/readyz`, without a trailing slash. */
  readonly path: string;
  /** True if only connections from localhost, including `kubectl port-forward`, are allowed. Default: false. */
  readonly isLocal?: boolean;
  /** Deadline of a request in milliseconds. Default 30,000. */
  readonly requestMsMax?: number;
  respond(request: RouteRequest): RouteResponse | Promise<RouteResponse>;
}

/** Returns a plain text response, with a trailing line feed. */
export function textResponse(status: number, text: string): RouteResponse {
  return { status, body: text.endsWith("\n") ? text : `${text}\n` };
}

/** Returns a JSON response, indented for readability. */
export function jsonResponse(status: number, value: unknown): RouteResponse {
  return { status, contentType: "application/json", body: `${JSON.stringify(value, undefined, 2)}\n` };
}
