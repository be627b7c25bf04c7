import type { Socket } from "node:net";

/** The user of a connection during one exchange. */
export interface ConnectionUser {
  /** Called with each piece that arrives. */
  receive(piece: Buffer): void;
  /** Called when the connection has ended, with the error if there was one. */
  ended(error: Error | undefined): void;
}

/** An open connection that is used by one exchange after another. */
export class PooledConnection {
  readonly socket: Socket;
  /** True if an exchange has used it before, so that the server may have closed it meanwhile. */
  isUsed = false;
  /** True if it has ended. */
  isOver = false;
  /** The monotonic time at which it was released. */
  idleSince = 0;
  /** True if it keeps the process alive. */
  #isHolding = true;
  #user: ConnectionUser | undefined;
  #error: Error | undefined;

  constructor(socket: Socket, onOver: (connection: PooledConnection) => void) {
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

  /** Passes a piece that arrived to the user. */
  receive(piece: Buffer): void {
    // A server must not send anything without a request: the connection is out of sync.
    if (this.#user === undefined) this.socket.destroy();
    else this.#user.receive(piece);
  }

  /**
   * Assigns the connection to an exchange.
   *
   * @param isTimed True if a timer runs during the whole exchange. The timer then keeps the process alive, which saves the `ref`.
   */
  take(user: ConnectionUser, isTimed: boolean): void {
    this.#user = user;
    if (isTimed || this.#isHolding) return;
    this.#isHolding = true;
    this.socket.ref();
  }

  /** Releases the connection. An idle connection does not keep the process alive. */
  release(now: number): void {
    this.#user = undefined;
    this.isUsed = true;
    this.idleSince = now;
    if (!this.#isHolding) return;
    this.#isHolding = false;
    this.socket.unref();
  }

  /** Closes the connection without notifying its user. */
  drop(): void {
    this.#user = undefined;
    this.socket.destroy();
  }
}
