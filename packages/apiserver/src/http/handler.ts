import type { Query } from "../request/query.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { Peer } from "./peer.ts";

/** Request headers by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request whose headers were parsed and whose body was not read yet. */
export interface ServerRequest {
  readonly method: string;
  /** Path and query as sent, for messages and logs. */
  readonly uri: string;
  readonly query: Query;
  readonly headers: RequestHeaders;
  /** Parsed path: verb, resource, namespace, name. */
  readonly info: RequestInfo;
  /** Id of the request in logs, also sent in the response. */
  readonly auditId: string;
  /** Address and TLS client certificate of the client. */
  readonly peer: Peer;
  /** True if the response body must be indented (`?pretty=true`, or a client such as curl or a browser). */
  readonly isPretty: boolean;
  /**
   * Reads the whole body. Repeated calls return the same bytes.
   *
   * Throws a `StatusError`: 413 if the body exceeds the limit of the server, 400 if it ends early.
   */
  body(): Promise<Uint8Array>;
}

/** Response headers: names in the case in which they are written, each with one or several values. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>;

interface ResponseHead {
  readonly status: number;
  readonly headers?: ResponseHeaders;
  /** Texts for `Warning` headers (RFC 7234), which clients such as kubectl show to the user. */
  readonly warnings?: readonly string[];
}

/** A response with a complete body. Above 128 KiB it is compressed if the client accepts gzip. */
export interface BufferedResponse extends ResponseHead {
  readonly body: Uint8Array | string;
}

/**
 * A streamed response, such as a watch. Each chunk is sent at once; the next one is requested when the client has room
 * for it.
 *
 * When the client disconnects or the server stops, the signal of the request aborts and no more chunks are requested.
 */
export interface StreamResponse extends ResponseHead {
  readonly stream: AsyncIterable<Uint8Array | string>;
}

/** Response of a handler. */
export type HandlerResponse = BufferedResponse | StreamResponse;

/**
 * Handles a request. The signal aborts when no client waits for the response any more: the time limit has passed, the
 * client has disconnected, or the server stops.
 *
 * A thrown `StatusError` becomes the response. Any other error becomes a 500 and is reported to the observer.
 */
export type Handler = (request: ServerRequest, signal: AbortSignal) => Promise<HandlerResponse>;

/** Returns a plain-text error response with a line end, as Go's `http.Error` writes it. */
export function textError(status: number, text: string): BufferedResponse {
  return { status, headers: { "Content-Type": plainText, "X-Content-Type-Options": "nosniff" }, body: `${text}\n` };
}

/** Content type of plain text. */
export const plainText = "text/plain; charset=utf-8";

/** Returns the first value of a header. The name must be lower-case. */
export function headerOf(headers: RequestHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === "string" ? value : value?.[0];
}
