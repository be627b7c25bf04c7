// Somebody who uses the server of a tenant.

import { Service } from "@homeostat/kubernetes/core/v1";
import type { Place } from "./place.ts";

/** The port of servers. */
const port = 3030;

/** Who sends requests to the server of one tenant, by the address of its Service. */
export class Visitor {
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  static async of({ client }: Place, tenant: string): Promise<Visitor> {
    const service = await client.get(Service, { namespace: `tenant-${tenant}`, name: `${tenant}-server` });
    return new Visitor(`http://${service?.spec?.clusterIP}:${port}`);
  }

  /** What the server says; throws unless that is a 200. */
  async get(path: string): Promise<string> {
    return this.#ask(path, { method: "GET" });
  }

  async put(id: string, text: string): Promise<void> {
    await this.#ask(`/logs/${id}`, { method: "PUT", body: text });
  }

  async #ask(path: string, init: RequestInit): Promise<string> {
    const answer = await fetch(`${this.#url}${path}`, { ...init, signal: AbortSignal.timeout(280_000) });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
    return text;
  }

  /** Sends 50 requests a second until it is stopped. Each is sent once, whatever comes of it. */
  visitSteadily(): { readonly stop: () => Promise<{ readonly sent: number; readonly lost: readonly string[] }> } {
    const running: Promise<void>[] = [];
    const lost: string[] = [];
    const timer = setInterval(() => {
      const id = String(running.length);
      running.push(this.put(id, `text ${id}`).catch((error: unknown) => void lost.push(`${id}: ${told(error)}`)));
    }, 20);
    return {
      stop: async () => {
        clearInterval(timer);
        await Promise.all(running);
        return { sent: running.length, lost };
      },
    };
  }
}

function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}, ${error.cause.message}` : error.message;
}
