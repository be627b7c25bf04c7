// Requests to the web API of a master: to the address of its pod, or through the API server.

import type { IncomingMessage } from "node:http";
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

async function received(
  status: number,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: AsyncIterable<Uint8Array>,
): Promise<WebResponse> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) return { type: "failure", message: `answered more than ${bodyBytesMax / 1_048_576} MiB` };
    chunks.push(chunk);
  }
  const contentType = String(headers["content-type"] ?? "");
  return { type: "response", status, contentType, body: Buffer.concat(chunks).toString() };
}

function failure(error: unknown): WebResponse {
  return { type: "failure", message: (error instanceof Error ? error.message : String(error)).slice(0, 300) };
}

/** Returns where to connect for a pod address; undefined for the address itself. */
export type ResolvePod = (ip: string, port: number) => { readonly host: string; readonly port: number } | undefined;

// By name: since Node 22 an import of node:http also loads undici, 12 MB that are not needed here.
const http = process.getBuiltinModule("node:http");

/** Connects to the addresses of pods. Certificates are not verified: they are the user's own, and nothing secret is sent. */
export function podWeb(resolve: ResolvePod = () => undefined): MasterWeb {
  return {
    send: async ({ ip, port, basePath, isTls }, { method, path, signal }) => {
      try {
        const endpoint = resolve(ip, port) ?? { host: ip, port };
        const headers = { accept: "application/json", connection: "close" };
        const options = { ...endpoint, method, path: `${basePath}${path}`, headers, signal, agent: false };
        const response = await new Promise<IncomingMessage>((settle, reject) => {
          const request = isTls
            ? process.getBuiltinModule("node:https").request({ ...options, rejectUnauthorized: false })
            : http.request(options);
          request.on("response", settle).on("error", reject).end();
        });
        return await received(response.statusCode ?? 0, response.headers, response);
      } catch (error) {
        return failure(error);
      }
    },
  };
}

/** Sends requests through the API server. Requires `get` and `create` on `pods/proxy`. */
export function proxyWeb(transport: Transport): MasterWeb {
  return {
    send: async (address, { method, path, signal }) => {
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
        return await received(status, headers, body);
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
