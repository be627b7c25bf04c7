import { connect } from "node:net";

/** Load on a server. */
export interface Load {
  readonly port: number;
  readonly requests: number;
  readonly connections: number;
}

const request = [
  "GET /api/cart/17?currency=EUR HTTP/1.1",
  "host: cart.shop.svc.cluster.local",
  "user-agent: bench/1.0 (linux; x86_64)",
  "accept: application/json, text/plain, */*",
  "accept-encoding: gzip, deflate, br",
  "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  "baggage: user=7,tenant=blue,routing-key=key-00000000",
  "x-request-id: 6e1d0f34-6f2c-4b57-9d8d-7f3f8d1c3a11",
  "",
  "",
].join("\r\n");

/** Sends requests on keep-alive connections, one after the other on each. Rejects if a response is wrong. */
export async function sendLoad({ port, requests, connections }: Load): Promise<void> {
  let left = requests;
  const run = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      let missing = 0;
      const next = (): void => {
        if (left === 0) {
          socket.destroy();
          resolve();
          return;
        }
        left -= 1;
        socket.write(request, "latin1");
      };
      socket.on("connect", next);
      socket.on("error", reject);
      socket.on("end", () => reject(new Error(`port ${port} closed a connection`)));
      socket.on("data", (chunk) => {
        if (missing === 0) {
          const head = chunk.indexOf("\r\n\r\n");
          if (head === -1 || chunk.toString("latin1", 9, 12) !== "200") {
            reject(new Error(`unexpected response of port ${port}: ${chunk.toString("latin1", 0, 100)}`));
            return;
          }
          missing = head + 4 + 1024;
        }
        missing -= chunk.length;
        if (missing === 0) next();
      });
    });
  await Promise.all(Array.from({ length: connections }, run));
}
