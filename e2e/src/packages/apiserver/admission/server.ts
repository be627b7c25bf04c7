// A client of one of the two servers, which returns normalised responses.

import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { Normaliser } from "../../../harness/normalise.ts";

/** URL and administrator credentials of a server. */
export interface Access {
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** One request. `{ns}` in its strings stands for the namespace of the case. */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Default: JSON, or a merge patch for PATCH. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response without what differs between servers. */
export interface ComparedResponse {
  readonly request: string;
  readonly status: number;
  readonly warnings: readonly string[];
  readonly body: unknown;
}

/** Kinds that the admission plugins of the real server read from caches, which lag behind writes. */
const cached = /^\/api\/v1\/namespaces(\/[^/]+)?$|classes(\/[^/]+)?$|\/limitranges$/;

/** Sends steps over keep-alive connections. `settleMs` is the delay of its caches after a write. */
export class Server {
  readonly #access: Access;
  readonly #settleMs: number;
  readonly #agent: Agent;

  constructor(access: Access, { settleMs = 0 }: { readonly settleMs?: number } = {}) {
    this.#access = access;
    this.#settleMs = settleMs;
    const { ca, cert, key } = access;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 4, ca, cert, key });
  }

  /** Sends the steps of a case in order in its own namespace. Returns all responses. */
  async run(steps: readonly Step[], namespace: string, options?: Comparison): Promise<ComparedResponse[]> {
    const responses: ComparedResponse[] = [];
    for (const step of steps) {
      const filled = JSON.parse(JSON.stringify(step).replaceAll("{ns}", namespace)) as Step;
      responses.push(await this.send(filled));
      if (step.method !== "GET" && cached.test(filled.path)) await sleep(this.#settleMs);
    }
    return normal(responses, namespace, options) as ComparedResponse[];
  }

  send({ method, path, body, type, headers = {} }: Step): Promise<ComparedResponse> {
    return new Promise((resolve, reject) => {
      const usual = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const text = body === undefined || typeof body === "string" ? (body ?? "") : JSON.stringify(body);
      const length = String(Buffer.byteLength(text));
      const all = { accept: "application/json", "content-type": type ?? usual, "content-length": length, ...headers };
      const url = new URL(path, this.#access.server);
      const sending = request(url, { method, agent: this.#agent, headers: all }, (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("error", reject);
        response.on("end", () => {
          const warnings = response.rawHeaders.filter(
            (_, index, list) => index % 2 === 1 && list[index - 1]?.toLowerCase() === "warning",
          );
          const responses = parse(Buffer.concat(pieces).toString("utf8"));
          resolve({ request: `${method} ${path}`, status: response.statusCode ?? 0, warnings, body: responses });
        });
      });
      sending.on("error", reject);
      sending.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Options of the comparison. */
export interface Comparison {
  /** True if managedFields are compared. Usually another suite compares them. */
  readonly hasManagers?: boolean;
}

/** Returns a response in its compared form. */
export function normal(responses: unknown, namespace: string, { hasManagers = false }: Comparison = {}): unknown {
  return new Normaliser({ namespace, without: hasManagers ? [] : ["managedFields"], ignoresIdentity: true }).normal(
    responses,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
