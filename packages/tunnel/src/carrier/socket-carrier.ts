import type { Socket } from "node:net";
import type { Carrier, CarrierHandlers } from "./carrier.ts";

/**
 * Carries frames over a TCP or TLS connection without further framing.
 *
 * Writes of one callback are combined: each write of a TLS socket becomes a record of its own, which costs more than to encrypt its bytes.
 */
export class SocketCarrier implements Carrier {
  readonly #socket: Socket;
  #isCorked = false;
  #flushed: () => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get queuedBytes(): number {
    return this.#socket.writableLength;
  }

  start({ bytes, flushed, closed }: CarrierHandlers): void {
    let error: Error | undefined;
    this.#flushed = flushed;
    this.#socket.setNoDelay(true);
    this.#socket.on("error", (cause) => (error = cause));
    this.#socket.on("close", () => closed(error));
    // The peer sends nothing any more, so responses cannot arrive either.
    this.#socket.on("end", () => this.#socket.destroy());
    this.#socket.on("data", bytes);
  }

  write(bytes: Buffer): void {
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      process.nextTick(this.#uncork);
    }
    this.#socket.write(bytes, this.#written);
  }

  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  readonly #uncork = (): void => {
    this.#isCorked = false;
    this.#socket.uncork();
  };

  readonly #written = (error?: Error | null): void => {
    if (error === undefined || error === null) this.#flushed();
  };
}
