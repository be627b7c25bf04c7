import { goConnectionText } from "../admission/webhooks/webhook-errors.ts";
import { compareBytes } from "../codec/go-text.ts";
import type { AuthorizedRequest } from "../handlers/context.ts";
import { type HandlerResponse, type ServerRequest, textError } from "../http/handler.ts";
import { forwardedHeaders, returnedHeaders } from "./proxy-headers.ts";
import type { RemoteVersion } from "./remote-version.ts";
import { type EndpointOptions, resolveEndpoint } from "./resolve-endpoint.ts";
import { type SendUpstream, targetOf, type UpstreamRequest } from "./upstream.ts";

/** Dependencies of {@link forwardRequest}. */
export interface ForwardOptions extends EndpointOptions {
  readonly send: SendUpstream;
  /** Aborts when the server stops. */
  readonly stop: AbortSignal;
}

/** Forwards a request to the server of a version. Returns its response, or a 503 if it cannot be reached. */
export async function forwardRequest(
  version: RemoteVersion,
  { request, user, signal }: AuthorizedRequest,
  options: ForwardOptions,
): Promise<HandlerResponse> {
  const unavailable = textError(503, "service unavailable");
  if (!version.isAvailable) return unavailable;
  const endpoint = await resolveEndpoint(version, options);
  if (endpoint === undefined) return unavailable;
  const body = hasBody(request.method) ? await request.body() : undefined;
  const { address } = request.peer;
  const headers = {
    ...forwardedHeaders(request.headers, { user, address, bodyBytes: body?.length ?? 0 }),
    host: `${endpoint.host}:${endpoint.port}`,
  };
  const upstream: UpstreamRequest = {
    ...targetOf(version),
    endpoint,
    method: request.method,
    path: pathWithQuery(request),
    headers,
    ...(body === undefined ? {} : { body }),
  };
  try {
    const response = await options.send(upstream, AbortSignal.any([signal, options.stop]));
    return { status: response.status, headers: returnedHeaders(response.rawHeaders), stream: response.body };
  } catch (error) {
    if (signal.aborted) throw error;
    return textError(503, `error trying to reach service: ${goConnectionText(error, endpoint)}`);
  }
}

/** Returns path and query as kube-apiserver forwards them: parameters sorted by name. */
function pathWithQuery({ uri }: Pick<ServerRequest, "uri">): string {
  const at = uri.indexOf("?");
  if (at < 0) return uri;
  const pairs = [...new URLSearchParams(uri.slice(at + 1))];
  const sorted = pairs.toSorted(([a], [b]) => compareBytes(a, b));
  const query = sorted.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join("&");
  return query === "" ? uri.slice(0, at) : `${uri.slice(0, at)}?${query}`;
}

/** Escapes as Go's `url.QueryEscape` does. */
function escaped(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");
}

function hasBody(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}
