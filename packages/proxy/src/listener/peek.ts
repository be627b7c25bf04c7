import type { Socket } from "node:net";
import type { Deadlines, Timed } from "../limits/deadlines.ts";
import { detectProtocol } from "./detect-protocol.ts";

/** Reads the first bytes of a connection until they tell its protocol. */
export class Peek implements Timed {
  deadline: number;
  readonly socket: Socket;
  readonly #deadlines: Deadlines;
  readonly #done: (first: Buffer | undefined) => void;
  #bytes: Buffer | undefined;

  /** @param done receives the bytes, or undefined if the connection was closed first. */
  constructor(socket: Socket, deadlines: Deadlines, ms: number, done: (first: Buffer | undefined) => void) {
    this.socket = socket;
    this.#deadlines = deadlines;
    this.#done = done;
    this.deadline = deadlines.clock.monotonic() + ms;
    deadlines.add(this);
    socket.on("data", this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("error", this.#onEnd);
    socket.on("close", this.#onClose);
  }

  expire(): void {
    this.socket.destroy();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#bytes = this.#bytes === undefined ? chunk : Buffer.concat([this.#bytes, chunk]);
    if (detectProtocol(this.#bytes) === "undecided") return;
    this.#stop();
    this.#done(this.#bytes);
  };

  readonly #onEnd = (): void => {
    this.socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#stop();
    this.#done(undefined);
  };

  #stop(): void {
    this.#deadlines.remove(this);
    this.socket.off("data", this.#onData);
    this.socket.off("end", this.#onEnd);
    this.socket.off("error", this.#onEnd);
    this.socket.off("close", this.#onClose);
  }
}
