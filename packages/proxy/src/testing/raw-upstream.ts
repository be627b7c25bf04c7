import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { Wire } from "./wire.ts";

/** An upstream whose responses the test writes byte by byte. */
export class RawUpstream implements AsyncDisposable {
  readonly address: string;
  readonly #server: Server;
  readonly #wires: Wire[];
  readonly #accepted: Wire[] = [];
  readonly #waiting: ((wire: Wire) => void)[] = [];

  private constructor(server: Server, port: number, wires: Wire[]) {
    this.#server = server;
    this.#wires = wires;
    this.address = `127.0.0.1:${port}`;
  }

  static async start(): Promise<RawUpstream> {
    const wires: Wire[] = [];
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const upstream = new RawUpstream(server, port, wires);
    server.on("connection", (socket) => upstream.#accept(new Wire(socket)));
    return upstream;
  }

  /** Number of connections that were accepted. */
  get connections(): number {
    return this.#wires.length;
  }

  /** Returns the next connection that no call has returned yet. */
  next(): Promise<Wire> {
    const wire = this.#accepted.shift();
    if (wire !== undefined) return Promise.resolve(wire);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.#wires) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #accept(wire: Wire): void {
    this.#wires.push(wire);
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#accepted.push(wire);
    else waiting(wire);
  }
}
