import type { Duplex } from "node:stream";
import { ProtocolError } from "../errors.ts";
import { frameHead, maskInPlace, opcode, WebSocketReader } from "./websocket-reader.ts";

/** Returns random bytes. A mask must not be predictable: proxies could be made to read data as requests (RFC 6455, section 10.3). */
export type RandomBytes = (count: number) => Buffer;

/** Options of {@link WebSocketConnection}. */
export interface WebSocketOptions {
  /** A connection after the upgrade, which this object reads alone. */
  readonly connection: Duplex;
  /** Bytes that arrived together with the upgrade. */
  readonly head?: Buffer;
  readonly side: "client" | "server";
  readonly randomBytes: RandomBytes;
  /** Called with data of binary messages. `isStart` is true for the first data of a message. */
  readonly onData: (chunk: Buffer, isStart: boolean) => void;
  /** Called when written bytes were passed on. */
  readonly onFlushed: () => void;
  /** Called once when the connection has ended. */
  readonly onClosed: (error: Error | undefined) => void;
}

/** Masks that are drawn from the source of randomness at once. */
const maskPool = 1_024;

/** A WebSocket that sends and receives binary messages. */
export class WebSocketConnection {
  readonly #options: WebSocketOptions;
  #masks: Buffer = Buffer.alloc(0);
  #isClosing = false;
  #error: Error | undefined;
  readonly #reader: WebSocketReader;

  constructor(options: WebSocketOptions) {
    this.#options = options;
    this.#reader = new WebSocketReader(
      {
        data: options.onData,
        ping: (payload) => this.#send(opcode.pong, [payload]),
        close: () => this.end(),
      },
      { isMasked: options.side === "server" },
    );
  }

  /** Starts to deliver events. Called once. */
  start(): void {
    const { connection, onClosed, head } = this.#options;
    connection.on("error", (cause) => (this.#error ??= cause));
    connection.on("close", () => onClosed(this.#error));
    // The peer sends nothing any more, so responses cannot arrive either.
    connection.on("end", () => connection.destroy());
    if (head !== undefined && head.length > 0) this.#read(head);
    connection.on("data", this.#read);
    // The upgrade paused it.
    connection.resume();
  }

  /** Bytes that were sent and not yet passed to the operating system. */
  get queuedBytes(): number {
    return this.#options.connection.writableLength;
  }

  /** Sends one message. The bytes must not be changed afterwards. */
  send(chunks: readonly Buffer[]): void {
    if (!this.#isClosing) this.#send(opcode.binary, chunks);
  }

  /** Sends a close frame, and closes the connection after the queued bytes. */
  end(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#send(opcode.close, [Buffer.from([0x03, 0xe8])]);
    this.#options.connection.end();
  }

  /** Closes the connection at once. */
  destroy(error?: Error): void {
    this.#error ??= error;
    this.#isClosing = true;
    this.#options.connection.destroy();
  }

  readonly #read = (chunk: Buffer): void => {
    if (this.#options.connection.destroyed) return;
    try {
      this.#reader.read(chunk);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.destroy(error);
    }
  };

  #send(code: number, chunks: readonly Buffer[]): void {
    const { connection, side } = this.#options;
    if (connection.destroyed || connection.writableEnded) return;
    let length = 0;
    for (const chunk of chunks) length += chunk.length;
    connection.cork();
    if (side === "server") {
      connection.write(frameHead(code, length, undefined));
      for (const chunk of chunks) connection.write(chunk, this.#written);
    } else {
      const mask = this.#nextMask();
      // Always a copy: the bytes may be those of a caller, and may be sent again.
      const payload = Buffer.concat(chunks, length);
      maskInPlace(payload, mask);
      connection.write(frameHead(code, length, mask));
      connection.write(payload, this.#written);
    }
    connection.uncork();
  }

  #nextMask(): Buffer {
    if (this.#masks.length < 4) this.#masks = this.#options.randomBytes(4 * maskPool);
    const mask = this.#masks.subarray(0, 4);
    this.#masks = this.#masks.subarray(4);
    return mask;
  }

  readonly #written = (error?: Error | null): void => {
    if (error === undefined || error === null) this.#options.onFlushed();
  };
}
