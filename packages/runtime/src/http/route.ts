/** What a route is told of a request. */
export interface RouteRequest {
  /** The parts of the path behind that of the route, decoded: of `/why/tenants/a` below `/why`, `["tenants", "a"]`. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
  /** Aborts when the client goes away or the server closes. */
  readonly signal: AbortSignal;
}

/** What a route answers. */
export interface RouteResponse {
  readonly status: number;
  /** Default: plain text. */
  readonly contentType?: string;
  readonly body: string;
}

/** Answers `GET` and `HEAD` at a path and below. */
export interface Route {
  /** Such as `/readyz`, without a slash at the end. */
  readonly path: string;
  /** Whether only who connects from this machine (or through `kubectl port-forward`) gets an answer. Default: false. */
  readonly isLocal?: boolean;
  /** The longest that a request may take in milliseconds, where the default of 30,000 is too short. */
  readonly requestMsMax?: number;
  answer(request: RouteRequest): RouteResponse | Promise<RouteResponse>;
}

/** An answer in plain text that ends with a line end. */
export function textResponse(status: number, text: string): RouteResponse {
  return { status, body: text.endsWith("\n") ? text : `${text}\n` };
}

/** An answer in JSON, for people too: indented. */
export function jsonResponse(status: number, value: unknown): RouteResponse {
  return { status, contentType: "application/json", body: `${JSON.stringify(value, undefined, 2)}\n` };
}
