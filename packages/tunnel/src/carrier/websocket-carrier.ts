import type { Duplex } from "node:stream";
import { type RandomBytes, WebSocketConnection } from "../websocket/websocket.ts";
import type { Carrier, CarrierHandlers } from "./carrier.ts";

/** Options of {@link WebSocketCarrier}. */
export interface WebSocketCarrierOptions {
  /** A connection after the upgrade: TLS, or a stream of HTTP/2. */
  readonly connection: Duplex;
  /** Bytes that arrived together with the upgrade. */
  readonly head?: Buffer;
  readonly side: "client" | "server";
  readonly randomBytes: RandomBytes;
  /** Called when the connection has ended, to close what it runs on. */
  readonly onClosed?: () => void;
}

/** Carries frames in binary messages of a WebSocket, for networks that let only HTTP pass. Writes of one callback become one message. */
export class WebSocketCarrier implements Carrier {
  readonly #options: WebSocketCarrierOptions;
  #socket: WebSocketConnection | undefined;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  constructor(options: WebSocketCarrierOptions) {
    this.#options = options;
  }

  get queuedBytes(): number {
    return this.#pendingBytes + (this.#socket?.queuedBytes ?? 0);
  }

  start({ bytes, flushed, closed }: CarrierHandlers): void {
    const { connection, head, side, randomBytes, onClosed } = this.#options;
    this.#socket = new WebSocketConnection({
      connection,
      ...(head === undefined ? {} : { head }),
      side,
      randomBytes,
      onData: bytes,
      onFlushed: flushed,
      onClosed: (error) => {
        onClosed?.();
        closed(error);
      },
    });
    this.#socket.start();
  }

  write(bytes: Buffer): void {
    if (this.#pending.length === 0) process.nextTick(this.#flush);
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
  }

  end(): void {
    this.#flush();
    this.#socket?.end();
  }

  destroy(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
    if (this.#socket === undefined) this.#options.connection.destroy();
    else this.#socket.destroy();
  }

  readonly #flush = (): void => {
    if (this.#pending.length === 0) return;
    const chunks = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#socket?.send(chunks);
  };
}
