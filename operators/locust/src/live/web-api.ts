// Requests to the web API of a master: to the address of its pod, or through the API server.

import type { Transport } from "@homeostat/client";
import { HttpResponseError, sendHttp } from "@homeostat/http";

export interface MasterAddress {
  readonly namespace: string;
  readonly pod: string;
  readonly ip: string;
  readonly port: number;
  /** Prefix of every path: `""` or `/locust`. */
  readonly basePath: string;
  readonly isTls: boolean;
}

export interface WebRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly signal: AbortSignal;
  /** A larger body is a failure. */
  readonly bodyBytesMax: number;
}

export type WebResponse =
  | { readonly type: "response"; readonly status: number; readonly contentType: string; readonly body: string }
  | { readonly type: "failure"; readonly message: string };

/**
 * Sends requests to masters. The master runs an image of the user, so its responses are not trusted.
 *
 * Never rejects, settles when the signal aborts, and follows no redirects.
 */
export interface MasterWeb {
  send(address: MasterAddress, request: WebRequest): Promise<WebResponse>;
}

function failure(error: unknown): WebResponse {
  const { cause } = error instanceof Error ? error : {};
  const problem = cause instanceof HttpResponseError ? httpProblems[cause.problem] : undefined;
  // The cause is the socket error. The client's error wraps it with advice that does not fit into a condition message.
  const message = problem ?? messageOf(cause instanceof Error ? cause : error);
  return { type: "failure", message: message.slice(0, 300) };
}

const httpProblems: Readonly<Record<HttpResponseError["problem"], string>> = {
  upgrade: "switched to another protocol",
  interim: "sent too many interim responses",
  size: "sent a response that is too large",
  closed: "closed the connection without a response",
};

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Maps the address of a pod to the address to connect to; undefined to use the address itself. */
export type ResolvePod = (ip: string, port: number) => { readonly host: string; readonly port: number } | undefined;

/** Connects to the addresses of pods. Certificates are not verified: they are the user's own, and nothing secret is sent. */
export function podWeb(resolve: ResolvePod = () => undefined): MasterWeb {
  return {
    send: async ({ ip, port, basePath, isTls }, { method, path, signal, bodyBytesMax }) => {
      try {
        const { status, headers, body } = await sendHttp({
          ...(resolve(ip, port) ?? { host: ip, port }),
          method,
          path: `${basePath}${path}`,
          headers: { accept: "application/json", connection: "close" },
          ...(isTls ? { tls: { rejectUnauthorized: false } } : {}),
          signal,
          bodyBytesMax,
        });
        return { type: "response", status, contentType: headers["content-type"] ?? "", body: body.toString() };
      } catch (error) {
        return failure(error);
      }
    },
  };
}

/** Sends requests through the API server. Requires `get` and `create` on `pods/proxy`. */
export function proxyWeb(transport: Transport): MasterWeb {
  return {
    send: async (address, { method, path, signal, bodyBytesMax }) => {
      const verb = method === "GET" ? "get" : "create";
      try {
        const { status, headers, body } = await transport.send({
          method,
          path: `${proxyPath(address)}${path}`,
          headers: { accept: "application/json" },
          isRetried: false,
          about: { verb, resource: "pods/proxy", key: `${address.namespace}/${address.pod}` },
          signal,
        });
        const chunks: Uint8Array[] = [];
        let bytes = 0;
        for await (const chunk of body) {
          bytes += chunk.length;
          // Leaving the loop closes the connection.
          if (bytes > bodyBytesMax) return { type: "failure", message: httpProblems.size };
          chunks.push(chunk);
        }
        const contentType = headers["content-type"] ?? "";
        return { type: "response", status, contentType, body: Buffer.concat(chunks).toString() };
      } catch (error) {
        return failure(error);
      }
    },
  };
}

/** Returns the proxy path of a master: `/api/v1/namespaces/shop/pods/https:smoke-master-x7k2p:8089/proxy`. */
export function proxyPath({ namespace, pod, port, basePath, isTls }: MasterAddress): string {
  const name = `${isTls ? "https:" : ""}${pod}:${port}`;
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${name}/proxy${basePath}`;
}
