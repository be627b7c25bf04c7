import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { failure, type Lane, type LoadClient } from "./lane.ts";

/** Load of HTTP/1.1. */
export interface Http1Load {
  readonly port: number;
  readonly connections: number;
  /** Bytes of each response body. */
  readonly bodyBytes: number;
}

/** Routing key of all requests. Every table has it. */
export const routingKey = "key-00000000";

const headEnd = Buffer.from("\r\n\r\n");

/** Returns the bytes of a request for a body of a size. */
export function requestText(bodyBytes: number): string {
  return [
    `GET /bytes/${bodyBytes}?currency=EUR HTTP/1.1`,
    "host: cart.shop.svc.cluster.local",
    "user-agent: bench/1.0 (linux; x86_64)",
    "accept: application/json, text/plain, */*",
    "accept-encoding: gzip, deflate, br",
    "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    `baggage: user=7,tenant=blue,routing-key=${routingKey}`,
    "x-request-id: 6e1d0f34-6f2c-4b57-9d8d-7f3f8d1c3a11",
    "",
    "",
  ].join("\r\n");
}

/** A keep-alive connection. */
class Http1Lane implements Lane {
  readonly socket: Socket;
  readonly #request: string;
  readonly #bodyBytes: number;
  #missing = 0;
  #done: (() => void) | undefined;

  constructor({ port, bodyBytes }: Http1Load, fail: (error: Error) => void) {
    this.#request = requestText(bodyBytes);
    this.#bodyBytes = bodyBytes;
    this.socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.socket.on("error", fail);
    this.socket.on("end", () => fail(new Error(`port ${port} closed a connection`)));
    this.socket.on("data", (chunk: Buffer) => {
      if (this.#missing === 0) {
        const head = chunk.indexOf(headEnd);
        if (head === -1 || chunk.toString("latin1", 9, 12) !== "200")
          return fail(new Error(`unexpected response of port ${port}: ${chunk.toString("latin1", 0, 200)}`));
        this.#missing = head + headEnd.length + this.#bodyBytes;
      }
      this.#missing -= chunk.length;
      if (this.#missing > 0) return;
      if (this.#missing < 0) return fail(new Error(`port ${port} sent more than the response`));
      const done = this.#done;
      this.#done = undefined;
      done?.();
    });
  }

  send(done: () => void): void {
    this.#done = done;
    this.socket.write(this.#request, "latin1");
  }
}

/** Opens keep-alive connections. */
export async function connectHttp1(load: Http1Load): Promise<LoadClient> {
  const { failed, fail } = failure();
  const lanes = Array.from({ length: load.connections }, () => new Http1Lane(load, fail));
  await Promise.race([Promise.all(lanes.map(({ socket }) => once(socket, "connect"))), failed]);
  return {
    lanes,
    failed,
    close: () => {
      for (const { socket } of lanes) socket.removeAllListeners("end").destroy();
    },
  };
}
