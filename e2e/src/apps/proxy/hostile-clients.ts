// A program that opens many connections to a proxy and misuses them:
//
//   node hostile-clients.js KIND PORT COUNT
//
// It prints `open` when all connections are open, and the numbers of responses by status when the proxy has closed all of them. After SIGUSR2 it
// sends a further request on each connection and prints `again` with the number of responses 200.

import { connect, type Socket } from "node:net";

const [kind = "", port = "", count = ""] = process.argv.slice(2);

/** Connections that are being opened, or wait for a response, at the same time. Fewer than the requests that may wait for a workload. */
const askingMax = 200;
const get = "GET /name HTTP/1.1\r\nhost: shop\r\n\r\n";
/** Four times the limit of a head, and less than the buffers of a socket. */
const hugeHeader = `GET /name HTTP/1.1\r\nhost: shop\r\nx-huge: ${"y".repeat(128 * 1024)}\r\n\r\n`;

/** Sends the first bytes of a connection, and resolves when it is in the state of its kind. */
const kinds: Readonly<Record<string, (socket: Socket) => Promise<void> | void>> = {
  /** Sends one request and keeps the connection. */
  idle: async (socket) => void (await ask(socket)),
  /** Never completes a head, but sends a byte of it again and again. */
  slowloris: (socket) => {
    socket.write("GET /name HTTP/1.1\r\nhost: shop\r\nx-slow: ");
    const timer = setInterval(() => socket.write("y"), 200);
    socket.once("close", () => clearInterval(timer));
  },
  headers: (socket) => void socket.write(hugeHeader),
  /** Asks for a large response and never reads it. Such a socket does not notice either that its peer closes it. */
  stalled: (socket) => {
    socket.pause();
    socket.write("GET /large HTTP/1.1\r\nhost: shop\r\n\r\n");
  },
};

/** Sends a request, and returns the status of its response. */
function ask(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.write(get);
    socket.once("data", (chunk: Buffer) => resolve(statusOf(chunk.toString("latin1"))));
  });
}

function statusOf(response: string): string {
  return /^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? "none";
}

// A socket that does not read does not keep the process alive, whose end would close all connections.
const alive = setInterval(() => undefined, 1_000);
const begin = kinds[kind];
if (begin === undefined) throw new Error(`unknown kind ${kind}`);
const statuses: Record<string, number> = {};
const sockets: Socket[] = [];
const ended: Promise<void>[] = [];
let left = Number(count);

async function open(start: (socket: Socket) => Promise<void> | void): Promise<void> {
  while (left > 0) {
    left -= 1;
    const socket = connect(Number(port), "127.0.0.1");
    let received = "";
    if (kind !== "stalled")
      socket.on("data", (chunk: Buffer) => {
        if (received === "") received = chunk.toString("latin1", 0, 100);
      });
    socket.on("error", () => undefined);
    ended.push(
      new Promise((resolve) =>
        socket.once("close", () => {
          const status = statusOf(received);
          statuses[status] = (statuses[status] ?? 0) + 1;
          resolve();
        }),
      ),
    );
    sockets.push(socket);
    await new Promise<void>((resolve) => socket.once("connect", resolve));
    await start(socket);
  }
}

/** Sends a request on each connection, on some of them at the same time, and prints how many were answered with 200. */
async function askAgain(): Promise<void> {
  let responses = 0;
  const waiting = sockets.slice();
  const work = async (): Promise<void> => {
    for (let socket = waiting.pop(); socket !== undefined; socket = waiting.pop())
      if ((await ask(socket)) === "200") responses += 1;
  };
  await Promise.all(Array.from({ length: askingMax }, work));
  console.log(`again ${responses}`);
}

process.on("SIGUSR2", () => void askAgain());
await Promise.all(Array.from({ length: askingMax }, () => open(begin)));
console.log("open");
await Promise.all(ended);
console.log(JSON.stringify(statuses));
clearInterval(alive);
