import type { IncomingMessage } from "node:http";
import { type HttpRequest, openHttp } from "@homeostat/http";
import { type NodeProvider, type RequestHeaders, StatusError, type StreamResponse } from "@homeostat/apiserver";
import type { LocalAddress } from "../node/network.ts";

/** Hop-by-hop headers (RFC 9110, section 7.6.1), which a proxy must not forward. */
const hopHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** Headers for the API server itself: credentials, host name, and the length that the forwarded request computes. */
const ownHeaders = new Set(["authorization", "host", "content-length"]);

/** Builds the handler that forwards requests to `pods/NAME/proxy` to the program in a simulated pod. */
export function podProxy(
  addressOf: (ip: string, port: number) => LocalAddress | undefined,
): NonNullable<NodeProvider["proxy"]> {
  return async ({ scheme, host, port = scheme === "https" ? "443" : "80" }, { request, signal }) => {
    const { method, uri, headers } = request;
    const path = pathInPod(uri);
    // Relative links of a page would resolve wrongly without the trailing slash.
    if (path === "") return { status: 301, headers: { Location: withTrailingSlash(uri) }, body: "" };
    const authority = `${host}:${port}`;
    const address = scheme === "https" ? undefined : addressOf(host, Number(port));
    if (address === undefined) throw new StatusError(unreachable(`dial tcp ${authority}: connect: connection refused`));
    const body = await request.body();
    return forward({
      ...address,
      method,
      path,
      signal,
      headers: { ...forwardedHeaders(headers), host: authority },
      body,
    });
  };
}

/** Sends a request to a pod and returns its response, with the body as a stream that ends when the signal aborts. */
export async function forward(request: HttpRequest): Promise<StreamResponse> {
  try {
    return responseOf(await openHttp(request));
  } catch (error) {
    throw new StatusError(unreachable(problemOf(error)), { cause: error });
  }
}

/** Returns the part of the URI after `/proxy`; empty when there is not even a slash. */
function pathInPod(uri: string): string {
  const path = uri.slice(endOfName(uri));
  return path.startsWith("/") ? path : "";
}

function withTrailingSlash(uri: string): string {
  const end = endOfName(uri);
  return `${uri.slice(0, end)}/${uri.slice(end)}`;
}

/** Returns the end of the path segment `/proxy` after the pod's name. */
function endOfName(uri: string): number {
  const at = /\/pods\/[^/?]+\/proxy/.exec(uri);
  return at === null ? uri.length : at.index + at[0].length;
}

function forwardedHeaders(headers: RequestHeaders): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    // HTTP/2 pseudo-headers: method, path and host.
    const isOwn = name.startsWith(":") || ownHeaders.has(name);
    if (value === undefined || hopHeaders.has(name) || isOwn) continue;
    passed[name] = typeof value === "string" ? value : [...value];
  }
  return passed;
}

function responseOf(response: IncomingMessage): StreamResponse {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined && !hopHeaders.has(name)) headers[name] = value;
  }
  return { status: response.statusCode ?? 502, headers, stream: response };
}

/** Returns the message of the socket error that the request error wraps. */
function problemOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  const innermost = cause instanceof Error ? cause : error;
  return innermost instanceof Error ? innermost.message : String(innermost);
}

function unreachable(problem: string): ConstructorParameters<typeof StatusError>[0] {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `error trying to reach service: ${problem}`,
    reason: "ServiceUnavailable",
    code: 503,
  };
}
