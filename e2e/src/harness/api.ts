// A plain HTTPS client for suites, so that no code under test is between a test and the server.

import { Agent, request } from "node:https";
import type { ApiAccess } from "@homeostat/kube";

/** A complete response. */
export interface ApiResponse {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly body: unknown;
}

/** Sends JSON requests to one API server over keep-alive connections. */
export class Api {
  readonly #access: ApiAccess;
  readonly #agent: Agent;

  constructor(access: ApiAccess) {
    this.#access = access;
    const { ca, cert, key } = access;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 4, ca, cert, key });
  }

  /** Sends a request; an object in `body` is sent as JSON, a string unchanged. */
  send(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    return new Promise((resolve, reject) => {
      const url = new URL(path, this.#access.server);
      const sending = request(url, { method, agent: this.#agent, headers: this.#headers() }, (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(pieces).toString("utf8");
          resolve({ status: response.statusCode ?? 0, warnings: warningsOf(response.rawHeaders), body: parse(text) });
        });
      });
      sending.on("error", reject);
      sending.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body));
    });
  }

  #headers(): Record<string, string> {
    const { token } = this.#access;
    return { "content-type": "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  }

  close(): void {
    this.#agent.destroy();
  }
}

function warningsOf(headers: readonly string[]): string[] {
  return headers.filter((_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === "warning");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
