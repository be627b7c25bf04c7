// A client of a tenant's server.

import { Service } from "@homeostat/kubernetes/core/v1";
import type { TenantStage } from "./stage.ts";

/** Port of the server. */
const port = 3030;

/** Sends requests to the server of one tenant, by the address of its Service. */
export class LogClient {
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  static async of({ client }: TenantStage, tenant: string): Promise<LogClient> {
    const service = await client.get(Service, { namespace: `tenant-${tenant}`, name: `${tenant}-server` });
    return new LogClient(`http://${service?.spec?.clusterIP}:${port}`);
  }

  /** Returns the response body; throws unless the status is 200. */
  async get(path: string): Promise<string> {
    return this.#ask(path, { method: "GET" });
  }

  async put(id: string, text: string): Promise<void> {
    await this.#ask(`/logs/${id}`, { method: "PUT", body: text });
  }

  async #ask(path: string, init: RequestInit): Promise<string> {
    const response = await fetch(`${this.#url}${path}`, { ...init, signal: AbortSignal.timeout(280_000) });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    return text;
  }

  /** Sends 50 requests per second until it is stopped. Each is sent once, without retries. */
  visitSteadily(): { readonly stop: () => Promise<{ readonly sent: number; readonly lost: readonly string[] }> } {
    const running: Promise<void>[] = [];
    const lost: string[] = [];
    const timer = setInterval(() => {
      const id = String(running.length);
      running.push(this.put(id, `text ${id}`).catch((error: unknown) => void lost.push(`${id}: ${errorText(error)}`)));
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

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}, ${error.cause.message}` : error.message;
}
