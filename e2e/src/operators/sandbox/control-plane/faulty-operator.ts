import { connect, loadConnection, type Request, type Response, type Transport } from "@homeostat/client";
import { systemClock } from "@homeostat/core";
import { createOperatorManager } from "@homeostat/operator";
import { silentLogger } from "@homeostat/runtime";
import { sandboxOperator } from "@homeostat/sandbox-operator";

/** Options of a {@link FaultyOperator}. */
export interface FaultyOperatorOptions {
  readonly kubeconfigPath: string;
  /** Milliseconds by which the clocks of the API server and of the operator seem to be ahead. */
  readonly aheadMs?: number;
  /** Decides whether a request is answered with 429 instead of being sent, and whether the client is asked to retry it. */
  throttle?(this: void, request: Request): "retry" | "final" | undefined;
  /** Called before a request is sent. */
  beforeSend?(this: void, request: Request): Promise<void>;
  /** Called with each response. */
  onResponse?(this: void, request: Request, response: Response): void;
}

/** The sandbox operator in this process, with faults between it and a real API server. */
export class FaultyOperator implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #close: () => void;

  private constructor(transport: Transport & { close(): void }, options: FaultyOperatorOptions) {
    const { aheadMs = 0 } = options;
    this.#close = () => transport.close();
    const manager = createOperatorManager(sandboxOperator({ operatorNamespace: "sandbox-system" }), {
      connection: faulty(transport, options),
      run: { webhooks: false, leaderElect: false, healthProbeBindAddress: "0", metricsBindAddress: "0" },
      log: silentLogger,
      clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
    });
    this.#running = manager.run(this.#stop.signal);
  }

  static async start(options: FaultyOperatorOptions): Promise<FaultyOperator> {
    const connection = await loadConnection({ file: options.kubeconfigPath });
    return new FaultyOperator(connect(connection, { clock: systemClock }), options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#close();
  }
}

function faulty(transport: Transport, options: FaultyOperatorOptions): Transport {
  const { aheadMs = 0, throttle, beforeSend, onResponse } = options;
  return {
    async send(request) {
      const verdict = throttle?.(request);
      if (verdict !== undefined) return tooManyRequests(verdict === "retry" ? { "retry-after": "0" } : {});
      await beforeSend?.(request);
      const response = await transport.send(request);
      onResponse?.(request, response);
      const { date } = response.headers;
      if (date === undefined || aheadMs === 0) return response;
      const headers = { ...response.headers, date: new Date(Date.parse(date) + aheadMs).toUTCString() };
      return { status: response.status, headers, body: response.body };
    },
  };
}

/** Returns the response of an API server that rejects a request because it has too many. */
function tooManyRequests(headers: Readonly<Record<string, string>>): Response {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message: "too many requests, please try again later",
    reason: "TooManyRequests",
    code: 429,
  };
  return {
    status: 429,
    headers: { "content-type": "application/json", ...headers },
    body: {
      cancel() {},
      async *[Symbol.asyncIterator]() {
        yield Buffer.from(JSON.stringify(status));
      },
    },
  };
}
