// Connections to a port of a pod through the API server: the WebSocket form of `pods/portforward` with the sub-protocol v4.channel.k8s.io. The first byte of
// each message is a channel: 0 carries data and 1 errors as text. The first message of each channel holds the port as two bytes, little-endian.
import { Duplex } from "node:stream";
import { ProtocolError } from "../errors.ts";
import { upgradeClient } from "./upgrade.ts";
import { type RandomBytes, WebSocketConnection } from "./websocket.ts";

/** Sub-protocol of port-forward requests. */
export const portForwardProtocol = "v4.channel.k8s.io";

/** Options of {@link openPortForward}. */
export interface OpenPortForwardOptions {
  /** A TLS connection to the API server. */
  readonly connection: Duplex;
  /** Host of the API server, for the `Host` header. */
  readonly host: string;
  readonly pod: { readonly namespace: string; readonly name: string; readonly port: number };
  /** Path before `/api`, if the API server is behind a proxy. */
  readonly pathPrefix?: string;
  /** Headers that authenticate the user. Each value of a list is a header of its own. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly randomBytes: RandomBytes;
  readonly signal: AbortSignal;
}

const errorBytesMax = 1_024;
/** Largest message: one that API servers pass on without splitting it. */
const messageBytesMax = 32 * 1024;

/** Opens a connection to a port of a pod. Rejects if the API server refuses. */
export async function openPortForward(options: OpenPortForwardOptions): Promise<Duplex> {
  const { connection, host, pod, pathPrefix = "", headers, randomBytes, signal } = options;
  const path = `${pathPrefix}/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.name)}/portforward?ports=${pod.port}`;
  const head = await upgradeClient({
    connection,
    host,
    path,
    protocol: portForwardProtocol,
    headers,
    randomBytes,
    signal,
  });
  return new PortForwardStream({ connection, head, randomBytes });
}

class PortForwardStream extends Duplex {
  readonly #socket: WebSocketConnection;
  #channel = -1;
  /** Bytes of the port number that have not arrived yet, by channel. */
  readonly #portLeft = [2, 2];
  #errorText = "";
  #flushed: (() => void) | undefined;

  constructor({ connection, head, randomBytes }: { connection: Duplex; head: Buffer; randomBytes: RandomBytes }) {
    super({ allowHalfOpen: false });
    this.#socket = new WebSocketConnection({
      connection,
      head,
      side: "client",
      randomBytes,
      onData: (chunk, isStart) => this.#data(chunk, isStart),
      onFlushed: () => this.#takeFlushed(),
      onClosed: (error) => {
        this.#takeFlushed();
        if (error === undefined) this.push(null);
        this.destroy(error);
      },
    });
    this.#connection = connection;
    this.#socket.start();
  }

  readonly #connection: Duplex;

  override _read(): void {
    this.#connection.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    for (let at = 0; at < chunk.length; at += messageBytesMax)
      this.#socket.send([Buffer.from([0]), chunk.subarray(at, at + messageBytesMax)]);
    if (this.#socket.queuedBytes === 0) done();
    else this.#flushed = done;
  }

  override _final(done: () => void): void {
    this.#socket.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #takeFlushed(): void {
    const flushed = this.#flushed;
    this.#flushed = undefined;
    flushed?.();
  }

  #data(chunk: Buffer, isStart: boolean): void {
    let rest = chunk;
    if (isStart) {
      this.#channel = rest[0] ?? -1;
      rest = rest.subarray(1);
    }
    const left = this.#portLeft[this.#channel];
    if (left === undefined) throw new ProtocolError(`a port-forward message names channel ${this.#channel}`);
    const skipped = Math.min(left, rest.length);
    this.#portLeft[this.#channel] = left - skipped;
    rest = rest.subarray(skipped);
    if (rest.length === 0) return;
    if (this.#channel === 0) {
      if (!this.push(rest)) this.#connection.pause();
      return;
    }
    this.#errorText = (this.#errorText + rest.toString()).slice(0, errorBytesMax);
    this.destroy(new ProtocolError(`the API server ended the port-forward: ${this.#errorText}`));
  }
}
