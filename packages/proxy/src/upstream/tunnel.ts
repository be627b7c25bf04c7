import type { Socket } from "node:net";
import type { Deadlines, Timed } from "../limits/deadlines.ts";

/** Options of a {@link Tunnel}. */
export interface TunnelOptions {
  readonly client: Socket;
  readonly upstream: Socket;
  readonly deadlines: Deadlines;
  /** Time without a byte in either direction after which the tunnel is closed. */
  readonly idleMs: number;
  /** Called once when both sockets are closed. */
  readonly onClosed: () => void;
}

/**
 * Copies bytes between two sockets in both directions, with backpressure. Each direction ends on its own; an error of a socket closes both.
 */
export class Tunnel implements Timed {
  deadline: number;
  readonly #options: TunnelOptions;
  #isActive = false;
  #open = 2;

  constructor(options: TunnelOptions) {
    const { client, upstream, deadlines } = options;
    this.#options = options;
    this.deadline = deadlines.clock.monotonic() + options.idleMs;
    this.#join(client, upstream);
    this.#join(upstream, client);
    deadlines.add(this);
  }

  /** Closes both sockets at once. */
  close(): void {
    this.#options.client.destroy();
    this.#options.upstream.destroy();
  }

  expire(now: number): void {
    if (!this.#isActive) return this.close();
    this.#isActive = false;
    this.deadline = now + this.#options.idleMs;
  }

  #join(from: Socket, to: Socket): void {
    from.on("data", (chunk: Buffer) => {
      this.#isActive = true;
      if (!to.write(chunk)) from.pause();
    });
    to.on("drain", () => from.resume());
    from.on("end", () => to.end());
    // `close` follows and closes the other socket.
    from.on("error", () => undefined);
    from.on("close", () => {
      // After a clean end of both directions, the other socket may still have bytes to send.
      if (!from.readableEnded || !to.writableEnded) to.destroy();
      this.#open -= 1;
      if (this.#open > 0) return;
      this.#options.deadlines.remove(this);
      this.#options.onClosed();
    });
    if (from.readableEnded) to.end();
    from.resume();
  }
}
