import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { parseJson } from "./shape.ts";

/** How to reach an API server: its address and what proves that it is it and we are we. PEM texts. */
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
  /** Path and query: `"/api/v1/namespaces?limit=1"`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The type of the body; patches have types of their own. */
  readonly contentType?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** What an API server answered. */
export interface ApiResponse {
  readonly status: number;
  /** The text as it came. */
  readonly text: string;
  /** The text as JSON; undefined when it is not JSON. */
  readonly body: unknown;
  /** The `Warning` headers, as they came. */
  readonly warnings: readonly string[];
}

/** Sends one request and reads the whole answer. Rejects only when there is none. */
export async function requestApi(access: ApiAccess, options: ApiRequest): Promise<ApiResponse> {
  const payload = options.body === undefined ? undefined : JSON.stringify(options.body);
  const url = new URL(options.path, access.server);
  const send = url.protocol === "http:" ? httpRequest : httpsRequest;
  return new Promise<ApiResponse>((resolve, reject) => {
    const request = send(
      url,
      {
        method: options.method ?? "GET",
        ca: access.ca,
        cert: access.cert,
        key: access.key,
        // A connection per request: nothing of a stopped server is left in a pool.
        agent: false,
        timeout: options.timeoutMs ?? 10_000,
        signal: options.signal,
        headers: {
          accept: "application/json",
          ...(access.token === undefined ? {} : { authorization: `Bearer ${access.token}` }),
          ...(payload === undefined
            ? {}
            : {
                "content-type": options.contentType ?? "application/json",
                "content-length": Buffer.byteLength(payload),
              }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("error", reject);
        response.once("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          const warnings = response.headersDistinct["warning"] ?? [];
          resolve({ status: response.statusCode ?? 0, text, body: parseJson(text), warnings });
        });
      },
    );
    request.once("timeout", () => request.destroy(new Error(`no answer from ${access.server}`)));
    request.once("error", reject);
    request.end(payload);
  });
}

/** Whether a GET of the path answers 200; any failure is a no. */
export async function answersOk(access: ApiAccess, path: string, signal?: AbortSignal): Promise<boolean> {
  try {
    return (await requestApi(access, { path, timeoutMs: 2000, signal })).status === 200;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return false;
  }
}
