// A client of the real server that can use any identity. It contains no code under test.

import { Agent, request } from "node:https";
import type { ApiAccess } from "@homeostat/kube";

/** A complete response. */
export interface ApiResponse {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly body: unknown;
}

/** One request and the identity that sends it. */
export interface ApiRequest {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  /** Header names and values alternately; repetitions are allowed. */
  readonly headers?: readonly (readonly [string, string])[];
  /** Default: the administrator's certificate. */
  readonly certificate?: "none";
}

/** Sends requests to one API server over keep-alive connections. */
export class Server {
  readonly #access: ApiAccess;
  readonly #known: Agent;
  readonly #unknown: Agent;

  constructor(access: ApiAccess) {
    this.#access = access;
    const { ca, cert, key } = access;
    this.#known = new Agent({ keepAlive: true, maxSockets: 8, ca, cert, key });
    this.#unknown = new Agent({ keepAlive: true, maxSockets: 2, ca });
  }

  ask({ method = "GET", path, body, headers = [], certificate }: ApiRequest): Promise<ApiResponse> {
    return new Promise((resolve, reject) => {
      const agent = certificate === "none" ? this.#unknown : this.#known;
      const url = new URL(path, this.#access.server);
      const sending = request(url, { method, agent }, (got) => {
        const pieces: Buffer[] = [];
        got.on("data", (piece: Buffer) => pieces.push(piece));
        got.on("error", reject);
        got.on("end", () => {
          const text = Buffer.concat(pieces).toString("utf8");
          const warnings = [got.headers["warning"] ?? []].flat();
          resolve({ status: got.statusCode ?? 0, warnings, body: parse(text) });
        });
      });
      sending.on("error", reject);
      const all = new Map<string, string[]>([["content-type", ["application/json"]]]);
      for (const [name, value] of headers) all.set(name, [...(all.get(name) ?? []), value]);
      for (const [name, values] of all) sending.setHeader(name, values.length === 1 ? (values[0] ?? "") : values);
      sending.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Returns the body of a successful response; throws otherwise. */
  async good(accessRequest: ApiRequest): Promise<unknown> {
    const { status, body } = await this.ask(accessRequest);
    if (status >= 300) throw new Error(`${accessRequest.path}: ${status} ${JSON.stringify(body).slice(0, 2000)}`);
    return body;
  }

  close(): void {
    this.#known.destroy();
    this.#unknown.destroy();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the value at a path, or undefined. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    found =
      typeof found === "object" && found !== null && Object.hasOwn(found, key) ? Reflect.get(found, key) : undefined;
  }
  return found;
}

/** Returns a response without values that differ between runs, managed fields and creation times. */
export function plain(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (key, value: unknown) => {
    return key === "managedFields" || key === "creationTimestamp" ? undefined : value;
  });
}
