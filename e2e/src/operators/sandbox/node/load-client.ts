// A client that sends requests without a routing key all the time and counts those that do not reach the baseline.

import { request } from "node:http";

/** A request that did not get the expected response. */
export interface FailedRequest {
  readonly at: number;
  readonly problem: string;
}

/** A period in milliseconds since the epoch. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** A request to a Service or a pod. For the address of a Service, kube-proxy chooses a pod for each connection. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest time without a byte of the response. Default: 10 s. */
  readonly timeoutMs?: number;
}

export interface LoadOptions extends Target {
  /** The only response that counts as success. */
  readonly expected: string;
}

/** Pause between two requests of a client. */
export const pauseMs = 20;

/** The response to a request: its status, its body, and the header that names the route. */
export interface ShopResponse {
  readonly status: number;
  readonly body: string;
  readonly route: string | undefined;
}

/** Sends one request on a connection of its own. */
export function send({ host, port, path = "/hello", headers = {}, timeoutMs = 10_000 }: Target): Promise<ShopResponse> {
  return new Promise((resolve, reject) => {
    const options = { host, port, path, headers, agent: false, timeout: timeoutMs };
    const outgoing = request(options, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const route = response.headers["x-sandbox-route"];
        const body = Buffer.concat(parts).toString("utf8");
        resolve({ status: response.statusCode ?? 0, body, route: typeof route === "string" ? route : undefined });
      });
    });
    let isConnected = false;
    outgoing.on("socket", (socket) => socket.once("connect", () => (isConnected = true)));
    outgoing.on("timeout", () => {
      const what = isConnected ? "response" : "connection";
      outgoing.destroy(new Error(`no ${what} within ${timeoutMs} ms`));
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

/** Sends requests one after the other until it is stopped. */
export class LoadClient {
  readonly #options: LoadOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #failed: FailedRequest[] = [];
  #sent = 0;
  #sentAt = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  get sent(): number {
    return this.#sent;
  }

  /** The time at which the last request was sent, which may still be running. */
  get sentAt(): number {
    return this.#sentAt;
  }

  /** Returns the failed requests, except those of a period in which no pod could serve them. */
  failed(except?: Period): readonly string[] {
    return this.#failed
      .filter(({ at }) => except === undefined || !isWithin(at, except))
      .map(({ at, problem }) => `${new Date(at).toISOString()} ${problem}`);
  }

  /** Returns the requests that failed in a period. */
  failedWithin(period: Period): readonly FailedRequest[] {
    return this.#failed.filter(({ at }) => isWithin(at, period));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { expected } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const at = Date.now();
      this.#sentAt = at;
      const problem = await send(this.#options).then(
        ({ body }) => (body === expected ? undefined : body),
        (error: unknown) => String(error),
      );
      this.#sent += 1;
      if (problem !== undefined) this.#failed.push({ at, problem });
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

function isWithin(at: number, { from, to }: Period): boolean {
  return at >= from && at <= to;
}
