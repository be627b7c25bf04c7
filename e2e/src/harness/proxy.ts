// A network between one candidate and the server that a test can cut.

import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/**
 * How a network is cut.
 *
 * - `refused`: connections are reset, new ones too.
 * - `black-hole`: connections stay open, but nothing passes in either direction; new ones are accepted and lead nowhere.
 * - `one-way`: what the candidate says still arrives, what the server answers does not.
 */
export type Cut = "refused" | "black-hole" | "one-way";

interface Pair {
  readonly near: Socket;
  readonly far: Socket | undefined;
}

/** Passes bytes on to a server until told otherwise. */
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

  /** Where a client goes in place of the server. */
  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(cut: Cut): void {
    this.#cut = cut;
    if (cut === "refused") this.#reset();
  }

  /**
   * Lets new connections pass. Those that lost bytes are reset.
   *
   * Nothing that was swallowed is delivered late. A network may do that, and then no check on the sender's side helps:
   * it is what the room between renew deadline and lease duration is for, and nothing promises more.
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
      // The end of a connection is news too, and does not pass either.
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

/** Cuts a connection without a farewell. One that is saying farewell cannot be cut so: Node would wait for it at the end, for ever. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
