// A client of the real server that can ask for every form of an answer.

import { Agent, request } from "node:https";
import type { ApiAccess } from "@homeostat/kube";

/** An answer with its headers. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: unknown;
}

/** One question. */
export interface Question {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks one API server over kept connections. */
export class Server {
  readonly #access: ApiAccess;
  readonly #agent: Agent;

  constructor(access: ApiAccess) {
    this.#access = access;
    const { ca, cert, key } = access;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 4, ca, cert, key });
  }

  ask({ method = "GET", path, body, headers = {} }: Question): Promise<Reply> {
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

  /** The body of an answer that must be a success. */
  async good(question: Question): Promise<unknown> {
    const reply = await this.ask(question);
    if (reply.status >= 300) throw new Error(`${question.path}: ${reply.status} ${reply.text.slice(0, 2000)}`);
    return reply.body;
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

/** The value of an own field at the end of a path, or undefined. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of path) {
    found =
      typeof found === "object" && found !== null && Object.hasOwn(found, key) ? Reflect.get(found, key) : undefined;
  }
  return found;
}
