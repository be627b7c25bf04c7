// A plain HTTPS client that names the kind of its patches.

import { Agent, request } from "node:https";
import { isRecord } from "@homeostat/core";
import type { ApiAccess } from "@homeostat/kube";

/** A request to the server. */
export interface Sending {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
}

/** An answer. */
export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Speaks to one API server over kept connections. */
export class Client {
  readonly #access: ApiAccess;
  readonly #agent: Agent;

  constructor(access: ApiAccess) {
    this.#access = access;
    const { ca, cert, key } = access;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 4, ca, cert, key });
  }

  send({ method, path, body, contentType = "application/json" }: Sending): Promise<Answer> {
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

/** A body that is no object, as before a resource is served, is shown as its text. */
function parse(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? body : { text };
  } catch {
    return { text };
  }
}
