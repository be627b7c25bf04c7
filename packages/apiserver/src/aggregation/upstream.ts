import type { IncomingMessage } from "node:http";
import { NetworkError } from "@homeostat/core";
import { AgentPool, openHttp } from "@homeostat/http";
import type { KeyPair } from "@homeostat/x509";
import type { Endpoint } from "../admission/webhooks/webhook-client.ts";
import type { RemoteVersion } from "./remote-version.ts";

/** A request to an aggregated server. */
export interface UpstreamRequest {
  readonly endpoint: Endpoint;
  /** Name in the server's certificate: `NAME.NAMESPACE.svc`. */
  readonly serverName: string;
  /** Base64 of PEM certificates; system roots if empty. */
  readonly caBundle: string;
  readonly skipsVerification: boolean;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Uint8Array;
}

/** Returns the parts of a request that identify the server of a version: the name in its certificate and the CAs to verify it. */
export function targetOf({
  service,
  caBundle,
  skipsVerification,
}: RemoteVersion): Pick<UpstreamRequest, "serverName" | "caBundle" | "skipsVerification"> {
  return { serverName: `${service.name}.${service.namespace}.svc`, caBundle, skipsVerification };
}

/** The response of an aggregated server. Its body ends when the signal of the request aborts. */
export interface UpstreamResponse {
  readonly status: number;
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[];
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends a request. Resolves when the response headers arrive, and rejects when the signal aborts. */
export type SendUpstream = (request: UpstreamRequest, signal: AbortSignal) => Promise<UpstreamResponse>;

const agentsMax = 64;

/** Sends requests to aggregated servers over HTTPS with the front-proxy certificate and keep-alive connections. */
export class UpstreamClient implements Disposable {
  readonly #identity: () => KeyPair;
  readonly #agents = new AgentPool(agentsMax);

  constructor(identity: () => KeyPair) {
    this.#identity = identity;
  }

  /** See {@link SendUpstream}. */
  async send(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamResponse> {
    const { endpoint, serverName, caBundle, skipsVerification, method, path, headers, body } = request;
    const response = await openHttp({
      method,
      host: endpoint.host,
      port: endpoint.port,
      path,
      headers,
      body,
      agent: this.#agents.agentFor(`${serverName}\n${skipsVerification}\n${caBundle}`),
      tls: {
        servername: serverName,
        ...this.#identity(),
        rejectUnauthorized: !skipsVerification,
        ...(caBundle === "" ? {} : { ca: Buffer.from(caBundle, "base64").toString("latin1") }),
        allowPartialTrustChain: true,
      },
      signal,
    }).catch((error: unknown) => {
      // NetworkError wraps the error of the socket.
      throw error instanceof NetworkError && error.cause !== undefined ? error.cause : error;
    });
    // Consume the empty body of a HEAD response; otherwise the connection would not return to the pool.
    if (method === "HEAD") response.resume();
    return { status: response.statusCode ?? 0, rawHeaders: response.rawHeaders, body: bodyOf(response) };
  }

  [Symbol.dispose](): void {
    this.#agents[Symbol.dispose]();
  }
}

/** Yields the chunks of a body. Leaving the loop early closes the connection. */
async function* bodyOf(response: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of response) if (chunk instanceof Uint8Array) yield chunk;
}

/**
 * Reads a whole body.
 *
 * @throws Error if the body is larger than `bytesMax`.
 */
export async function readWhole({ body }: Pick<UpstreamResponse, "body">, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > bytesMax) throw new Error(`response is larger than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
