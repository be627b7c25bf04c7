import { Agent, request } from "node:https";
import type { ApiAccess } from "@homeostat/kube";

/** A complete response. */
export interface RawResponse {
  readonly status: number;
  readonly text: string;
}

/** A request. */
export interface Call {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: string;
  readonly timeoutMs?: number;
}

/**
 * Minimal API client, so that the driver costs little and shares no code with a runtime.
 */
export class RawApi implements Disposable {
  readonly #access: ApiAccess;
  readonly #agent: Agent;

  constructor(access: ApiAccess, connections = 32) {
    this.#access = access;
    const { ca, cert, key } = access;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, ca, cert, key });
  }

  /** Returns a client for the same server on another port. */
  atPort(port: number): RawApi {
    const server = new URL(this.#access.server);
    server.port = String(port);
    return new RawApi({ ...this.#access, server: server.origin }, 4);
  }

  /** Sends a request. Rejects when there is no response. */
  async send({ method = "GET", path, body, timeoutMs = 60_000 }: Call): Promise<RawResponse> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const headers = body === undefined ? {} : { "content-type": type, "content-length": Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.#access.server}${path}`,
        { method, agent: this.#agent, headers, timeout: timeoutMs },
        (response) => {
          const pieces: Buffer[] = [];
          response.on("data", (piece: Buffer) => pieces.push(piece));
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString() }),
          );
          response.on("error", reject);
        },
      );
      sent.on("timeout", () => sent.destroy(new Error(`no response to ${method} ${path} within ${timeoutMs} ms`)));
      sent.on("error", reject);
      sent.end(body);
    });
  }

  /** Sends a request that must succeed. Retries transient failures. */
  async must(call: Call, signal?: AbortSignal): Promise<RawResponse> {
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted();
      let response: RawResponse | undefined;
      try {
        response = await this.send(call);
      } catch (error) {
        if (attempt >= 8) throw error;
      }
      if (response !== undefined && response.status < 300) return response;
      // Already exists: an earlier attempt succeeded although its response was lost.
      if (response?.status === 409 && call.method === "POST") return response;
      if (response !== undefined && (attempt >= 8 || (response.status < 500 && response.status !== 429))) {
        throw new Error(
          `${call.method ?? "GET"} ${call.path} returned ${response.status}: ${response.text.slice(0, 300)}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** attempt));
    }
  }

  /** Reports whether a request succeeds. */
  async isOk(path: string): Promise<boolean> {
    try {
      return (await this.send({ path, timeoutMs: 2000 })).status === 200;
    } catch {
      return false;
    }
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
