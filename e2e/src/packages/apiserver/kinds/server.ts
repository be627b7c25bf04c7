// A client of the real server that can request every response format.

import { Agent, request } from "node:https";
import type { ApiAccess } from "@homeostat/kube";

/** A response with its headers. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: unknown;
}

/** One request. */
export interface ApiRequest {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends requests to one API server over keep-alive connections. */
export class Server {
  readonly #access: ApiAccess;
  readonly #agent: Agent;

  constructor(access: ApiAccess) {
    this.#access = access;
    const { ca, cert, key } = access;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 4, ca, cert, key });
  }

  ask({ method = "GET", path, body, headers = {} }: ApiRequest): Promise<ApiResponse> {
    return new Promise((resolve, reject) => {
      const { token } = this.#access;
      const all = {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      };
      const sending = request(
        new URL(path, this.#access.server),
        { method, agent: this.#agent, headers: all },
        (got) => {
          const pieces: Buffer[] = [];
          got.on("data", (piece: Buffer) => pieces.push(piece));
          got.on("error", reject);
          got.on("end", () => {
            const text = Buffer.concat(pieces).toString("utf8");
            resolve({ status: got.statusCode ?? 0, headers: got.headers, text, body: parse(text) });
          });
        },
      );
      sending.on("error", reject);
      sending.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Returns the body of a successful response; throws otherwise. */
  async good(apiRequest: ApiRequest): Promise<unknown> {
    const response = await this.ask(apiRequest);
    if (response.status >= 300)
      throw new Error(`${apiRequest.path}: ${response.status} ${response.text.slice(0, 2000)}`);
    return response.body;
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the own property at a path, or undefined. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of path) {
    found =
      typeof found === "object" && found !== null && Object.hasOwn(found, key) ? Reflect.get(found, key) : undefined;
  }
  return found;
}
