// A client of the real server that can come as anybody: no code of the product stands between a test and the server.

import { Agent, request } from "node:https";
import type { ApiAccess } from "@homeostat/kube";

/** An answer, whole. */
export interface Reply {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly body: unknown;
}

/** One question, and as whom it is asked. */
export interface Question {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  /** Names and values in turn, repetitions allowed. */
  readonly headers?: readonly (readonly [string, string])[];
  /** The administrator's certificate unless `none` is asked for. */
  readonly certificate?: "none";
}

/** Asks one API server over kept connections. */
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

  ask({ method = "GET", path, body, headers = [], certificate }: Question): Promise<Reply> {
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

  /** The body of an answer that must be a success. */
  async good(question: Question): Promise<unknown> {
    const { status, body } = await this.ask(question);
    if (status >= 300) throw new Error(`${question.path}: ${status} ${JSON.stringify(body).slice(0, 2000)}`);
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

/** The value at the end of a path, or undefined. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    found =
      typeof found === "object" && found !== null && Object.hasOwn(found, key) ? Reflect.get(found, key) : undefined;
  }
  return found;
}

/** An answer without what differs from run to run or belongs to others: managed fields and times of creation. */
export function plain(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (key, value: unknown) => {
    return key === "managedFields" || key === "creationTimestamp" ? undefined : value;
  });
}
