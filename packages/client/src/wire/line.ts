import type { Socket } from "node:net";

/** Who a connection belongs to for the time of one exchange. */
export interface LineUser {
  /** Something arrived. */
  receive(piece: Buffer): void;
  /** Nothing more will arrive; with an error, because of it. */
  ended(error: Error | undefined): void;
}

/** One open connection, used by one exchange after the other. */
export class Line {
  readonly socket: Socket;
  /** Whether an exchange has used it before. */
  isUsed = false;
  /** Whether it has ended. */
  isOver = false;
  /** When it was given back, by the monotonic clock. */
  idleSince = 0;
  /** Whether it keeps the process running. */
  #isHolding = true;
  #user: LineUser | undefined;
  #error: Error | undefined;

  constructor(socket: Socket, onOver: (line: Line) => void) {
    this.socket = socket;
    const over = (): void => {
      if (this.isOver) return;
      this.isOver = true;
      onOver(this);
      const user = this.#user;
      this.#user = undefined;
      user?.ended(this.#error);
    };
    socket.setKeepAlive(true, 15_000);
    socket.on("data", (piece: Buffer) => this.receive(piece));
    socket.on("error", (error) => {
      this.#error = error;
      over();
    });
    socket.on("end", over);
    socket.on("close", over);
  }

  /** Something arrived. */
  receive(piece: Buffer): void {
    // What nobody asked for is not ours to guess.
    if (this.#user === undefined) this.socket.destroy();
    else this.#user.receive(piece);
  }

  /**
   * Gives the line to an exchange.
   *
   * @param isTimed Whether a timer runs as long as the exchange does: then that keeps the process running.
   */
  take(user: LineUser, isTimed: boolean): void {
    this.#user = user;
    if (isTimed || this.#isHolding) return;
    this.#isHolding = true;
    this.socket.ref();
  }

  /** Takes it back. An idle line does not keep the process running. */
  release(now: number): void {
    this.#user = undefined;
    this.isUsed = true;
    this.idleSince = now;
    if (!this.#isHolding) return;
    this.#isHolding = false;
    this.socket.unref();
  }

  /** Closes it, and tells nobody. */
  drop(): void {
    this.#user = undefined;
    this.socket.destroy();
  }
}
