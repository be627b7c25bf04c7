// One of the two servers that the suite asks, and what it told.

import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { Normaliser } from "../../../harness/normalise.ts";

/** How a server is reached: as its administrator. */
export interface Access {
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** One request. `{ns}` in its texts stands for the namespace of its case. */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Default JSON; for patches a merge patch. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What was told, without what differs from server to server. */
export interface Told {
  readonly request: string;
  readonly status: number;
  readonly warnings: readonly string[];
  readonly body: unknown;
}

/** What admission of the real server reads from caches, which learn of it a little later. */
const cached = /^\/api\/v1\/namespaces(\/[^/]+)?$|classes(\/[^/]+)?$|\/limitranges$/;

/** Sends steps over kept connections. `settleMs` is what its caches need to learn of a write. */
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

  /** Sends the steps of a case in order, in a namespace of its own, and returns all that was told. */
  async run(steps: readonly Step[], namespace: string, options?: Comparison): Promise<Told[]> {
    const told: Told[] = [];
    for (const step of steps) {
      const filled = JSON.parse(JSON.stringify(step).replaceAll("{ns}", namespace)) as Step;
      told.push(await this.send(filled));
      if (step.method !== "GET" && cached.test(filled.path)) await sleep(this.#settleMs);
    }
    return normal(told, namespace, options) as Told[];
  }

  send({ method, path, body, type, headers = {} }: Step): Promise<Told> {
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
          const told = parse(Buffer.concat(pieces).toString("utf8"));
          resolve({ request: `${method} ${path}`, status: response.statusCode ?? 0, warnings, body: told });
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

/** What is compared. */
export interface Comparison {
  /** Whether it counts which managers own which fields: as a rule that is another suite's business. */
  readonly hasManagers?: boolean;
}

/** What was told, as it is compared here. */
export function normal(told: unknown, namespace: string, { hasManagers = false }: Comparison = {}): unknown {
  return new Normaliser({ namespace, without: hasManagers ? [] : ["managedFields"], isAlike: true }).normal(told);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
