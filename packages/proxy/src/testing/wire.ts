import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";

/** A socket whose received bytes a test waits for. */
export class Wire {
  readonly socket: Socket;
  /** Received bytes, as latin1 text. */
  received = "";
  isEnded = false;
  isClosed = false;
  readonly #changed: (() => void)[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.received += chunk.toString("latin1");
      this.#change();
    });
    socket.on("end", () => {
      this.isEnded = true;
      this.#change();
    });
    socket.on("close", () => {
      this.isClosed = true;
      this.#change();
    });
    socket.on("error", () => undefined);
  }

  send(text: string): void {
    this.socket.write(text, "latin1");
  }

  /** Waits until a text was received, and returns all bytes up to its end; they count as read. */
  async until(text: string): Promise<string> {
    await this.#wait(() => this.received.includes(text), `receives ${JSON.stringify(text)}`);
    const end = this.received.indexOf(text) + text.length;
    const taken = this.received.slice(0, end);
    this.received = this.received.slice(end);
    return taken;
  }

  /** Waits until the peer has closed its side, and returns the bytes that were not read. */
  async untilEnd(): Promise<string> {
    await this.#wait(() => this.isEnded || this.isClosed, "ends");
    return this.received;
  }

  async untilClosed(): Promise<void> {
    await this.#wait(() => this.isClosed, "is closed");
  }

  async #wait(isMet: () => boolean, what: string): Promise<void> {
    while (!isMet()) {
      assert.ok(
        !this.isClosed,
        `the connection was closed before it ${what}; received ${JSON.stringify(this.received)}`,
      );
      await new Promise<void>((resolve) => this.#changed.push(resolve));
    }
  }

  #change(): void {
    for (const resolve of this.#changed.splice(0)) resolve();
  }
}

/** Waits until a socket is connected. */
export async function connected(socket: Socket): Promise<Wire> {
  const wire = new Wire(socket);
  if (socket.connecting) await once(socket, "connect");
  return wire;
}
