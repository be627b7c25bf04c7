import { connect, type Socket } from "node:net";
import { encodeHead, type Exchange, writeBody } from "./target-protocol.ts";

/** A connection into a tunnel, with one request at a time. */
export class LoadConnection {
  readonly #socket: Socket;
  #requestLeft = 0;
  #responseLeft = 0;
  #done: (() => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("drain", () => this.#send());
    socket.on("error", (error) => this.#failed?.(error));
    socket.on("close", () => this.#failed?.(new Error("the tunnel closed a connection")));
  }

  /** Connects to the entry of a tunnel. */
  static async open(port: number): Promise<LoadConnection> {
    return new Promise((resolve, reject) => {
      let connection: LoadConnection | undefined;
      const socket = connect({
        port,
        host: "127.0.0.1",
        noDelay: true,
        // One buffer for all reads: the load must not take the time of the tunnels.
        onread: {
          buffer: Buffer.allocUnsafe(256 * 1024),
          callback: (bytes) => {
            if (connection !== undefined) connection.#receive(bytes);
            return true;
          },
        },
      });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        connection = new LoadConnection(socket);
        resolve(connection);
      });
    });
  }

  /** Sends a request. Resolves when the whole response has arrived. */
  exchange({ requestBytes, responseBytes }: Exchange): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
      this.#requestLeft = requestBytes;
      this.#responseLeft = responseBytes;
      this.#socket.write(encodeHead({ requestBytes, responseBytes }));
      this.#send();
    });
  }

  /** Sends a request, and does not read the response. */
  stall(responseBytes: number): void {
    this.#socket.pause();
    this.#socket.write(encodeHead({ requestBytes: 0, responseBytes }));
  }

  close(): void {
    this.#failed = undefined;
    this.#socket.destroy();
  }

  #send(): void {
    this.#requestLeft = writeBody(this.#requestLeft, (chunk) => this.#socket.write(chunk));
  }

  #receive(bytes: number): void {
    this.#responseLeft -= bytes;
    if (this.#responseLeft < 0) this.#failed?.(new Error("the response is longer than expected"));
    else if (this.#responseLeft === 0) this.#done?.();
  }
}
