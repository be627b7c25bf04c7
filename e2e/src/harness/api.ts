// A plain HTTPS client for suites, so that no code under test is between a test and the server.

import type { IncomingHttpHeaders } from "node:http";
import { Agent, request } from "node:https";
import type { ApiAccess } from "@homeostat/kube";

/** A request. An object in `body` is sent as JSON, a string unchanged. */
export interface ApiRequest {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  /** Further headers. They replace the default content type and the token. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response whose body is not parsed. */
export interface TextResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly warnings: readonly string[];
  readonly text: string;
}

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

  /** Sends a request and parses the body of the response; a body that is not JSON is returned as text. */
  async send(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    const { status, warnings, text } = await this.sendForText({ method, path, body });
    const parsed = parseJson(text);
    return { status, warnings, body: parsed === undefined ? text : parsed };
  }

  /** Sends a request and returns the body of the response as text. */
  sendForText({ method = "GET", path, body, headers = {} }: ApiRequest): Promise<TextResponse> {
    const { token, server } = this.#access;
    const all = {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const url = new URL(path, server);
      const sending = request(url, { method, agent: this.#agent, headers: all }, (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(pieces).toString("utf8");
          const warnings = warningsOf(response.rawHeaders);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, warnings, text });
        });
      });
      sending.on("error", reject);
      sending.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function warningsOf(headers: readonly string[]): string[] {
  return headers.filter((_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === "warning");
}

/** Parses JSON; undefined if the text is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
