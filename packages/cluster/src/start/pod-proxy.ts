import type { IncomingMessage } from "node:http";
import { type HttpRequest, openHttp } from "@homeostat/http";
import { type NodeProvider, type RequestHeaders, StatusError, type StreamAnswer } from "@homeostat/apiserver";
import type { LocalAddress } from "../node/network.ts";

/** Headers that are between two neighbours and not for who is behind them. */
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
/** What the API server keeps to itself: who somebody is to it, and its own name. */
const ownHeaders = new Set(["authorization", "host", "content-length"]);

/** Passes requests to `pods/NAME/proxy` on to what listens in a simulated pod. */
export function podProxy(
  addressOf: (ip: string, port: number) => LocalAddress | undefined,
): NonNullable<NodeProvider["proxy"]> {
  return async ({ scheme, host, port = scheme === "https" ? "443" : "80" }, { request, signal }) => {
    const { method, uri, headers } = request;
    const path = pathInPod(uri);
    // Relative links of a page would lead elsewhere without the last slash.
    if (path === "") return { status: 301, headers: { Location: slashed(uri) }, body: "" };
    const place = `${host}:${port}`;
    const address = scheme === "https" ? undefined : addressOf(host, Number(port));
    if (address === undefined) throw new StatusError(unreachable(`dial tcp ${place}: connect: connection refused`));
    const body = await request.body();
    return forward({ ...address, method, path, signal, headers: { ...passedOn(headers), host: place }, body });
  };
}

/** Sends a request to a pod and returns its response, with the body as a stream that ends when the signal aborts. */
export async function forward(request: HttpRequest): Promise<StreamAnswer> {
  try {
    return answerOf(await openHttp(request));
  } catch (error) {
    throw new StatusError(unreachable(problemOf(error)), { cause: error });
  }
}

/** What of a request's URI is meant for the pod; empty when not even a slash is. */
function pathInPod(uri: string): string {
  const path = uri.slice(endOfName(uri));
  return path.startsWith("/") ? path : "";
}

function slashed(uri: string): string {
  const end = endOfName(uri);
  return `${uri.slice(0, end)}/${uri.slice(end)}`;
}

/** Where the step `/proxy` ends: the one after the pod's name. */
function endOfName(uri: string): number {
  const at = /\/pods\/[^/?]+\/proxy/.exec(uri);
  return at === null ? uri.length : at.index + at[0].length;
}

function passedOn(headers: RequestHeaders): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    // HTTP/2 has method, path and host as headers of its own.
    const isOwn = name.startsWith(":") || ownHeaders.has(name);
    if (value === undefined || hopHeaders.has(name) || isOwn) continue;
    passed[name] = typeof value === "string" ? value : [...value];
  }
  return passed;
}

function answerOf(response: IncomingMessage): StreamAnswer {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined && !hopHeaders.has(name)) headers[name] = value;
  }
  return { status: response.statusCode ?? 502, headers, stream: response };
}

/** Returns the message of the socket's error, which the request wraps. */
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
