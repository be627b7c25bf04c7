import { connect, type TLSSocket } from "node:tls";
import type { ApiAccess } from "@homeostat/kube";
import { ResponseReader } from "./response-reader.ts";

/** A received response. */
export interface Received {
  readonly status: number;
  readonly bodyBytes: number;
}

/**
 * An HTTP/1.1 connection over TLS, for one request at a time.
 *
 * Minimal on purpose: the load generator shares the cores with the measured server, so its own cost must be small.
 */
export class Connection implements Disposable {
  readonly #socket: TLSSocket;
  readonly #reader = new ResponseReader();
  #waiting: { readonly resolve: (received: Received) => void; readonly reject: (error: Error) => void } | undefined;

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on("data", (piece: Buffer) => this.#take(piece));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the server closed the connection")));
  }

  static async open(access: ApiAccess): Promise<Connection> {
    return new Connection(await openSocket(access));
  }

  /** Sends a request and reads the whole response. */
  send(request: Uint8Array): Promise<Received> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  [Symbol.dispose](): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #take(piece: Buffer): void {
    const received = this.#reader.take(piece);
    if (received === undefined) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(received);
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.reject(error);
  }
}

/** Opens a connection and completes the TLS handshake. */
export async function openSocket({ server, ca, cert, key }: ApiAccess): Promise<TLSSocket> {
  const { hostname: host, port } = new URL(server);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), ca, cert, key, ALPNProtocols: ["http/1.1"] }, () => {
      socket.off("error", reject);
      resolve(socket);
    });
    socket.setNoDelay(true);
    socket.once("error", reject);
  });
}

/** Encodes a request. The bytes can be sent any number of times. */
export function requestBytes(method: string, path: string, body?: string): Buffer {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const about = body === undefined ? "" : `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nUser-Agent: bench\r\n${about}\r\n${body ?? ""}`,
  );
}
