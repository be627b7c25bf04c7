// Servers that stand for the addresses of equivalence cases. Each one responds with the address that it stands for, in a header: responses
// to HEAD have no body.

import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { createServer as createHttp2Server, type Http2Server } from "node:http2";
import type { Duplex } from "node:stream";
import { listenLocal } from "./listen.ts";

/** A request as a server received it. */
export interface Received {
  /** Address that the server stands for. */
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
}

/** Response header with what the server received, as JSON. */
export const receivedHeader = "x-received";

/** Servers by the addresses that they stand for. */
export class Upstreams implements AsyncDisposable {
  readonly #servers: (Server | Http2Server)[] = [];
  readonly #ports = new Map<string, Promise<number>>();

  /** Returns the loopback port of an address. The same address always has the same server. */
  async portOf(address: string, { isHttp2 }: { readonly isHttp2: boolean }): Promise<number> {
    const known = this.#ports.get(address) ?? this.#start(address, isHttp2);
    this.#ports.set(address, known);
    return known;
  }

  async #start(address: string, isHttp2: boolean): Promise<number> {
    const received = (headers: IncomingHttpHeaders): string => JSON.stringify({ address, headers } satisfies Received);
    const server = isHttp2
      ? createHttp2Server(({ headers }, response) =>
          response.writeHead(200, { [receivedHeader]: received(headers) }).end(),
        )
      : createServer(({ headers }, response) => response.setHeader(receivedHeader, received(headers)).end());
    // Node refuses methods that it does not know. The request has arrived here nevertheless.
    server.on("clientError", (_error, socket: Duplex) => {
      socket.end(`HTTP/1.1 200 OK\r\n${receivedHeader}: ${received({})}\r\ncontent-length: 0\r\n\r\n`);
    });
    this.#servers.push(server);
    return listenLocal(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}
