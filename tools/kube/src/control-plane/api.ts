import { systemClock } from "@homeostat/core";
import { sendHttp } from "@homeostat/http";
import { parseJson } from "../cache/shape.ts";

/** Address of an API server, and credentials as PEM. */
export interface ApiAccess {
  readonly server: string;
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly token?: string | undefined;
}

/** One request to an API server. */
export interface ApiRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, such as `"/api/v1/namespaces?limit=1"`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Content type of the body; patches have their own types. */
  readonly contentType?: string;
  /** Accepted content types of the response. Default: `application/json`. */
  readonly accept?: string;
  /** Time limit for the whole exchange. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Response of an API server. */
export interface ApiResponse {
  readonly status: number;
  /** The body as text. */
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly body: unknown;
  /** The `Warning` headers. */
  readonly warnings: readonly string[];
}

const timeoutMsDefault = 10_000;
/** The largest lists of a test cluster have a few megabytes. */
const bodyBytesMax = 256 * 1_024 * 1_024;

/** Sends one request and reads the complete response. Rejects only without a response within the timeout. */
export async function requestApi(access: ApiAccess, options: ApiRequest): Promise<ApiResponse> {
  const { method = "GET", contentType = "application/json", timeoutMs = timeoutMsDefault, signal } = options;
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  const { protocol, hostname, port, pathname, search } = new URL(options.path, access.server);
  const isTls = protocol === "https:";
  using timeout = systemClock.timeout(timeoutMs);
  const response = await sendHttp({
    method,
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (isTls ? 443 : 80) : Number(port),
    path: `${pathname}${search}`,
    // One connection per request, so that no connection to a stopped server stays in a pool.
    ...(isTls ? { tls: { ca: access.ca, cert: access.cert, key: access.key } } : {}),
    headers: {
      accept: options.accept ?? "application/json",
      ...(access.token === undefined ? {} : { authorization: `Bearer ${access.token}` }),
      ...(body === undefined ? {} : { "content-type": contentType, "content-length": String(Buffer.byteLength(body)) }),
    },
    body,
    signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
    bodyBytesMax,
  });
  const text = response.body.toString("utf8");
  return { status: response.status, text, body: parseJson(text), warnings: response.headersDistinct["warning"] ?? [] };
}

/** Reports whether a GET of the path returns 200; any failure counts as no. */
export async function respondsOk(access: ApiAccess, path: string, signal?: AbortSignal): Promise<boolean> {
  try {
    return (await requestApi(access, { path, timeoutMs: 2000, signal })).status === 200;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return false;
  }
}
