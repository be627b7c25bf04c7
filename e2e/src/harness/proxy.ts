// A TCP proxy between one client and the API server. Tests use it to cut the network.

import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/**
 * A kind of network failure.
 *
 * - `refused`: connections are reset, new ones too.
 * - `black-hole`: connections stay open, but no data passes in either direction; new connections are accepted and get no data.
 * - `one-way`: data from the client arrives at the server, responses do not arrive at the client.
 */
export type Cut = "refused" | "black-hole" | "one-way";

interface Pair {
  readonly near: Socket;
  readonly far: Socket | undefined;
}

/** Forwards TCP connections to a server until the network is cut. */
export class Proxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #target: URL;
  readonly #pairs = new Set<Pair>();
  #cut: Cut | undefined;

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((near) => this.#accept(near));
  }

  static async open(target: string): Promise<Proxy> {
    const proxy = new Proxy(new URL(target));
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /** URL of the proxy, used instead of the server's. */
  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(cut: Cut): void {
    this.#cut = cut;
    if (cut === "refused") this.#reset();
  }

  /**
   * Forwards new connections again. Resets connections that lost data.
   *
   * Dropped data is never delivered late. A real network may do so, and no check on the sender's side can prevent it: the gap
   * between renew deadline and lease duration exists for that case, and the election guarantees no more.
   */
  heal(): void {
    this.#cut = undefined;
    this.#reset();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#reset();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }

  #accept(near: Socket): void {
    near.on("error", () => undefined);
    if (this.#cut === "refused") {
      reset(near);
      return;
    }
    const far = this.#cut === "black-hole" ? undefined : connect(Number(this.#target.port), this.#target.hostname);
    const pair = { near, far };
    this.#pairs.add(pair);
    near.on("data", (bytes) => {
      if (this.#cut !== "black-hole") far?.write(bytes);
    });
    near.on("close", () => {
      // A black hole also drops FIN and RST.
      if (this.#cut === "black-hole") return;
      far?.destroy();
      this.#pairs.delete(pair);
    });
    far?.on("error", () => undefined);
    far?.on("data", (bytes) => {
      if (this.#cut === undefined) near.write(bytes);
    });
    far?.on("close", () => {
      if (this.#cut === undefined) near.destroy();
    });
  }

  #reset(): void {
    for (const { near, far } of this.#pairs) {
      reset(near);
      if (far !== undefined) reset(far);
    }
    this.#pairs.clear();
  }
}

/** Resets a connection. One that is already closing is destroyed instead: Node.js would wait for the reset forever. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
