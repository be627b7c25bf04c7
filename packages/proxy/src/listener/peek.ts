import type { Socket } from "node:net";
import type { Deadlines, Timed } from "../limits/deadlines.ts";
import { detectProtocol } from "./detect-protocol.ts";

/** Options of a {@link Peek}. */
export interface PeekOptions {
  /** Time for the bytes that tell the protocol. */
  readonly headMs: number;
  /** Time after which a connection without any bytes is given to `silent`. Without it, the connection is closed after `headMs`. */
  readonly silentMs?: number | undefined;
  /** Receives the bytes, or undefined if the connection was closed first. */
  done(this: void, first: Buffer | undefined): void;
  silent(this: void): void;
}

/** Reads the first bytes of a connection until they tell its protocol. */
export class Peek implements Timed {
  deadline: number;
  readonly socket: Socket;
  readonly #deadlines: Deadlines;
  readonly #options: PeekOptions;
  #bytes: Buffer | undefined;
  #isSilent: boolean;

  constructor(socket: Socket, deadlines: Deadlines, options: PeekOptions) {
    const { headMs, silentMs } = options;
    this.socket = socket;
    this.#deadlines = deadlines;
    this.#options = options;
    this.#isSilent = silentMs !== undefined;
    this.deadline = deadlines.clock.monotonic() + (silentMs ?? headMs);
    deadlines.add(this);
    socket.on("data", this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("error", this.#onEnd);
    socket.on("close", this.#onClose);
  }

  expire(now: number): void {
    if (!this.#isSilent) {
      this.socket.destroy();
      return;
    }
    this.#isSilent = false;
    this.deadline = now + this.#options.headMs;
    if (this.#bytes !== undefined) return;
    this.#stop();
    this.#options.silent();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#bytes = this.#bytes === undefined ? chunk : Buffer.concat([this.#bytes, chunk]);
    if (detectProtocol(this.#bytes) === "undecided") return;
    this.#stop();
    this.#options.done(this.#bytes);
  };

  readonly #onEnd = (): void => {
    this.socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#stop();
    this.#options.done(undefined);
  };

  #stop(): void {
    this.#deadlines.remove(this);
    this.socket.off("data", this.#onData);
    this.socket.off("end", this.#onEnd);
    this.socket.off("error", this.#onEnd);
    this.socket.off("close", this.#onClose);
  }
}
