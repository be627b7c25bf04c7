import type { IncomingMessage } from "node:http";
import { NetworkError } from "@homeostat/core";
import { AgentPool, openHttp } from "@homeostat/http";
import type { KeyPair } from "@homeostat/x509";
import type { Endpoint } from "../admission/webhooks/webhook-client.ts";

/** A request to an aggregated server. */
export interface UpstreamRequest {
  readonly endpoint: Endpoint;
  /** The name in the server's certificate: `NAME.NAMESPACE.svc`. */
  readonly serverName: string;
  /** PEM in base64; authorities of the machine when empty. */
  readonly caBundle: string;
  readonly skipsVerification: boolean;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Uint8Array;
}

/** The response of an aggregated server. Its body ends when the signal of the request aborts. */
export interface UpstreamResponse {
  readonly status: number;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends a request. Settles when the head of the response is there, and rejects when the signal aborts. */
export type SendUpstream = (request: UpstreamRequest, signal: AbortSignal) => Promise<UpstreamResponse>;

const agentsMax = 64;

/** Sends requests to aggregated servers over HTTPS with the front-proxy certificate, on connections that are kept. */
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
      // The request wraps what the socket said.
      throw error instanceof NetworkError && error.cause !== undefined ? error.cause : error;
    });
    // The body of a response to HEAD is empty and not read: the connection would not be free again.
    if (method === "HEAD") response.resume();
    return { status: response.statusCode ?? 0, rawHeaders: response.rawHeaders, body: bodyOf(response) };
  }

  [Symbol.dispose](): void {
    this.#agents[Symbol.dispose]();
  }
}

/** Returns the pieces of a body. Leaving the loop early ends the connection. */
async function* bodyOf(response: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of response) if (piece instanceof Uint8Array) yield piece;
}

/** Reads a body whole. Throws an error when it is larger than `bytesMax`. */
export async function readWhole({ body }: Pick<UpstreamResponse, "body">, bytesMax: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > bytesMax) throw new Error(`response is larger than ${bytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
