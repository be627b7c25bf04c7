// A lane: a client and a recording upstream with one listener of a proxy between them. A lane sends one stream at a time, so every request that its
// upstream receives belongs to that stream.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from "node:net";
import { readStream, type ReadRequest } from "./reference-reader.ts";

/** Effect of a stream. */
export interface Passage {
  /** Requests that the upstream received completely, in order. */
  readonly all: readonly ReadRequest[];
  /** Bytes that the upstream received and that are no requests. */
  readonly malformed: readonly string[];
  /** False if the proxy waited for more bytes. */
  readonly isClosed: boolean;
  /** Statuses of the responses. */
  readonly statuses: readonly string[];
}

const response = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
/** A proxy closes the connection as soon as it has read the stream. Only a stream that ends inside of a body is ended by the client. */
const silenceMs = { complete: 20_000, incomplete: 200 };

interface Connection {
  readonly socket: Socket;
  /** Bytes since the last response, and the number of complete requests in them. */
  text: string;
  counted: number;
}

/** The upstream of a lane. */
export class Lane implements AsyncDisposable {
  readonly #server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  readonly #connections = new Set<Connection>();
  /** Method and target of requests of all streams whose bodies were not complete when their heads arrived. */
  readonly begun: Set<string> = new Set();
  #requests: ReadRequest[] = [];
  #malformed: string[] = [];
  /** Address of the listener of the proxy. */
  #proxy: NetConnectOpts = { port: 0 };

  /** Starts the upstream. Returns its port. */
  async start(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  use(proxy: NetConnectOpts): void {
    this.#proxy = proxy;
  }

  /** Sends pieces of a stream on a new connection, and waits until the proxy has closed it. */
  async send(pieces: readonly string[]): Promise<Passage> {
    this.#requests = [];
    this.#malformed = [];
    let received = "";
    let isClosed = false;
    await new Promise<void>((resolve) => {
      const [first = "", ...others] = pieces;
      const socket = connect({ ...this.#proxy, noDelay: true }, () => {
        socket.write(first, "latin1");
        // In another turn, so that the pieces arrive one after the other.
        setImmediate(() => socket.write(others.join(""), "latin1"));
      });
      const end = (): void => {
        isClosed = true;
        socket.destroy();
      };
      socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
      socket.on("end", end);
      socket.on("error", end);
      const isIncomplete = readStream(pieces.join("")).end === "incomplete";
      socket.setTimeout(isIncomplete ? silenceMs.incomplete : silenceMs.complete, () => socket.destroy());
      socket.on("close", () => resolve());
    });
    return {
      all: this.#requests,
      malformed: this.#malformed,
      isClosed,
      statuses: received.match(/HTTP\/1\.[01] \d+/g)?.map((line) => line.slice(9)) ?? [],
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.#connections) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #accept(socket: Socket): void {
    const connection: Connection = { socket, text: "", counted: 0 };
    this.#connections.add(connection);
    socket.on("error", () => undefined);
    socket.on("close", () => this.#connections.delete(connection));
    socket.on("data", (chunk: Buffer) => this.#receive(connection, chunk.toString("latin1")));
  }

  /** Responds to each complete request. */
  #receive(connection: Connection, chunk: string): void {
    connection.text += chunk;
    const { requests, end, partial } = readStream(connection.text);
    if (partial !== undefined) this.begun.add(`${partial.method} ${partial.target}`);
    const added = requests.slice(connection.counted);
    connection.counted = requests.length;
    this.#requests.push(...added);
    if (end === "malformed") {
      this.#malformed.push(connection.text);
      connection.socket.destroy();
      return;
    }
    if (end !== "incomplete") {
      connection.text = "";
      connection.counted = 0;
    }
    connection.socket.write(response.repeat(added.length));
  }
}
