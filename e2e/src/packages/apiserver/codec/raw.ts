// A client that sends bytes unchanged, including invalid ones.

import { Agent, request } from "node:https";
import type { ApiAccess } from "@homeostat/kube";

/** One request. */
export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** True to send the request without credentials. */
  readonly isAnonymous?: boolean;
}

/** A complete response. */
export interface RawResponse {
  readonly status: number;
  readonly contentType: string;
  readonly warnings: readonly string[];
  readonly bytes: Buffer;
  readonly text: string;
}

/** Sends raw requests to one API server over keep-alive connections. */
export class RawApi {
  readonly #access: ApiAccess;
  readonly #agent: Agent;
  readonly #anonymousAgent: Agent;

  constructor(access: ApiAccess) {
    const { ca, cert, key } = access;
    this.#access = access;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 4, ca, cert, key });
    this.#anonymousAgent = new Agent({ keepAlive: false, ca });
  }

  send({ method = "GET", path, body, headers = {}, isAnonymous = false }: RawRequest): Promise<RawResponse> {
    const { token } = this.#access;
    return new Promise((resolve, reject) => {
      // Without Content-Length, Node sends the body of a DELETE in a way that the server ignores.
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const known = isAnonymous || token === undefined ? {} : { authorization: `Bearer ${token}` };
      const agent = isAnonymous ? this.#anonymousAgent : this.#agent;
      const url = new URL(path, this.#access.server);
      const sending = request(url, { method, agent, headers: { ...known, ...length, ...headers } }, (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("error", reject);
        response.on("end", () => {
          const bytes = Buffer.concat(pieces);
          resolve({
            status: response.statusCode ?? 0,
            contentType: response.headers["content-type"] ?? "",
            warnings: response.headersDistinct["warning"] ?? [],
            bytes,
            text: bytes.toString("utf8"),
          });
        });
      });
      sending.on("error", reject);
      sending.end(body);
    });
  }

  /** Returns the JSON body of a GET. */
  async read(path: string): Promise<Record<string, unknown>> {
    return JSON.parse((await this.send({ path })).text) as Record<string, unknown>;
  }

  close(): void {
    this.#agent.destroy();
    this.#anonymousAgent.destroy();
  }
}
