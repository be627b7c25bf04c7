// A plain HTTPS client that sets the content type of patches.

import { Agent, request } from "node:https";
import { isRecord } from "@homeostat/core";
import type { ApiAccess } from "@homeostat/kube";

/** A request to the server. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
}

/** A response. */
export interface ApiResponse {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Sends requests to one API server over keep-alive connections. */
export class Client {
  readonly #access: ApiAccess;
  readonly #agent: Agent;

  constructor(access: ApiAccess) {
    this.#access = access;
    const { ca, cert, key } = access;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 4, ca, cert, key });
  }

  send({ method, path, body, contentType = "application/json" }: ApiRequest): Promise<ApiResponse> {
    const { token, server } = this.#access;
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { "content-type": contentType, ...authorization };
    return new Promise((resolve, reject) => {
      const sending = request(new URL(path, server), { method, agent: this.#agent, headers }, (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(pieces).toString("utf8");
          resolve({ status: response.statusCode ?? 0, body: parse(text) });
        });
      });
      sending.on("error", reject);
      sending.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Returns the body as text if it is not JSON, for example before a resource is served. */
function parse(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? body : { text };
  } catch {
    return { text };
  }
}
