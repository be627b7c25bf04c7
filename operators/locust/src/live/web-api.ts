// Requests to the web API of a master: to the address of its pod, or through the API server.

import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Transport } from "@homeostat/client";

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
}

export type WebResponse =
  | { readonly type: "response"; readonly status: number; readonly contentType: string; readonly body: string }
  | { readonly type: "failure"; readonly message: string };

/** Sends requests to masters. Never rejects, follows no redirects, and refuses bodies above 4 MiB. */
export interface MasterWeb {
  send(address: MasterAddress, request: WebRequest): Promise<WebResponse>;
}

const bodyBytesMax = 4 * 1_024 * 1_024;
const tooLarge: WebResponse = { type: "failure", message: `answered more than ${bodyBytesMax / 1_024 / 1_024} MiB` };

function failure(error: unknown): WebResponse {
  return { type: "failure", message: (error instanceof Error ? error.message : String(error)).slice(0, 300) };
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Returns where to connect for a pod address; undefined for the address itself. */
export type ResolvePod = (ip: string, port: number) => Endpoint | undefined;

// By name: since Node 22 an import of node:http also loads undici, 12 MB that are not needed here.
const http = process.getBuiltinModule("node:http");

/** Connects to the addresses of pods. Certificates are not verified: they are the user's own, and nothing secret is sent. */
export function podWeb(resolve: ResolvePod = () => undefined): MasterWeb {
  return {
    send: (address, { method, path, signal }) =>
      new Promise<WebResponse>((settle) => {
        try {
          const endpoint = resolve(address.ip, address.port) ?? { host: address.ip, port: address.port };
          const options = { ...endpoint, method, path: `${address.basePath}${path}`, signal, agent: false };
          const request = open(address, options);
          request.on("response", (response) => read(response, settle));
          request.on("error", (error) => settle(failure(error)));
          request.end();
        } catch (error) {
          // Node refuses invalid hosts and paths by throwing.
          settle(failure(error));
        }
      }),
  };
}

function open({ isTls }: MasterAddress, options: RequestOptions): ClientRequest {
  const headers = { accept: "application/json", connection: "close" };
  if (!isTls) return http.request({ ...options, headers });
  const https = process.getBuiltinModule("node:https");
  return https.request({ ...options, headers, rejectUnauthorized: false });
}

function read(response: IncomingMessage, settle: (response: WebResponse) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes <= bodyBytesMax) return;
    settle(tooLarge);
    response.destroy();
  });
  response.on("error", (error) => settle(failure(error)));
  response.on("close", () =>
    settle({ type: "failure", message: "closed the connection before the response was complete" }),
  );
  response.on("end", () => {
    const { statusCode: status = 0, headers } = response;
    const body = Buffer.concat(chunks).toString();
    settle({ type: "response", status, contentType: headers["content-type"] ?? "", body });
  });
}

/** Sends requests through the API server. Requires `get` and `create` on `pods/proxy`. */
export function proxyWeb(transport: Transport): MasterWeb {
  return {
    send: async (address, { method, path, signal }): Promise<WebResponse> => {
      try {
        const { status, headers, body } = await transport.send({
          method,
          path: `${proxyPath(address)}${path}`,
          headers: { accept: "application/json" },
          isRetried: false,
          about: {
            verb: method === "GET" ? "get" : "create",
            resource: "pods/proxy",
            key: `${address.namespace}/${address.pod}`,
          },
          signal,
        });
        const chunks: Uint8Array[] = [];
        let bytes = 0;
        for await (const chunk of body) {
          bytes += chunk.length;
          if (bytes > bodyBytesMax) return tooLarge;
          chunks.push(chunk);
        }
        const text = Buffer.concat(chunks).toString();
        return { type: "response", status, contentType: headers["content-type"] ?? "", body: text };
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
