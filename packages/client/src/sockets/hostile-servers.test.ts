import { type Clock, HomeostatError, sleepOn, type Timer, timeoutOn, type TimeoutSignal } from "@homeostat/core";
import { type ClientUnderTest, hostilePeerSuite } from "@homeostat/hostile-peers";
import { makeCertificate } from "../testing/certificates.ts";
import type { Connection } from "../kubeconfig/connection.ts";
import type { Request } from "../transport/transport.ts";
import { connect, type ConnectOptions, type SocketTransport } from "./connect.ts";

/** Longer than the sum of all time limits of a request. */
const timeoutMs = 200_000;

interface Variant {
  readonly connection: (port: number) => Connection;
  readonly request?: Partial<Request>;
  readonly options?: ConnectOptions;
}

/** A clock that runs its timers at once. `FakeClock` waits until the process is idle, which never happens during a flood of data. */
class SteppedClock implements Clock {
  readonly #timers = new Map<object, { readonly due: number; readonly run: () => void }>();
  #now = 0;

  now = (): number => this.#now;
  monotonic = (): number => this.#now;
  sleep = (ms: number, signal?: AbortSignal): Promise<void> => sleepOn(this, ms, signal);
  timeout = (ms: number): TimeoutSignal => timeoutOn(this, ms);

  schedule(ms: number, run: () => void): Timer {
    const id = {};
    this.#timers.set(id, { due: this.#now + ms, run });
    return { [Symbol.dispose]: () => void this.#timers.delete(id) };
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(([, { due }]) => due <= end).sort(([, a], [, b]) => a.due - b.due);
      if (next === undefined) break;
      const [id, { due, run }] = next;
      this.#timers.delete(id);
      this.#now = due;
      run();
    }
    this.#now = end;
  }
}

function clientOf({ connection, request, options }: Variant): () => ClientUnderTest {
  return () => {
    const clock = new SteppedClock();
    const transports: SocketTransport[] = [];
    return {
      async send({ port, signal }) {
        using timeout = clock.timeout(timeoutMs);
        const transport = connect(connection(port), { clock, env: {}, ...options });
        transports.push(transport);
        const signals = AbortSignal.any([signal, timeout.signal]);
        const { body } = await transport.send({ method: "GET", path: "/api/v1/pods", ...request, signal: signals });
        for await (const _ of body);
      },
      expire: () => Promise.resolve(clock.advance(timeoutMs)),
      isTyped: (error) => error instanceof HomeostatError,
      close: () => transports.forEach((transport) => transport.close()),
    };
  };
}

const plain = (port: number): Connection => ({ server: `http://127.0.0.1:${port}` });
const { cert, key } = makeCertificate({ subject: "server", names: ["127.0.0.1"] });
const secure = (port: number): Connection => ({
  server: `https://127.0.0.1:${port}`,
  tls: { certificateAuthority: { data: cert } },
});
const certificate = (): { cert: string; key: string } => ({ cert, key });

hostilePeerSuite("the client", clientOf({ connection: plain }));
hostilePeerSuite("the client for a whole response", clientOf({ connection: plain, request: { isWhole: true } }));
hostilePeerSuite("the client with TLS", clientOf({ connection: secure }), { certificate });
// A compressed response is read by Node's client.
hostilePeerSuite("the client with compression", clientOf({ connection: plain, options: { compression: true } }));
hostilePeerSuite(
  "the client with TLS and compression",
  clientOf({ connection: secure, options: { compression: true } }),
  { certificate },
);
hostilePeerSuite(
  "the client behind an HTTP proxy",
  clientOf({ connection: (port) => ({ server: "http://api.example:80", proxyUrl: `http://127.0.0.1:${port}` }) }),
);
hostilePeerSuite(
  "the client behind an HTTP proxy, with compression",
  clientOf({
    connection: (port) => ({ server: "http://api.example:80", proxyUrl: `http://127.0.0.1:${port}` }),
    options: { compression: true },
  }),
);
