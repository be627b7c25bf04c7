// What the asset `etcd` runs: it says that it is well, and keeps nothing. The API server beside it has its state within itself.

import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { type Flags, listValue, readFlags } from "./flags.ts";

/** The flags of etcd that mean something here; all others are accepted and do nothing. */
export const etcdFlags = {
  "listen-client-urls": "where to say that it is well (default http://localhost:2379)",
  "unsafe-no-fsync": "accepted: nothing is written",
} as const;

const headBytesMax = 16 * 1024;
/** A client that sends nothing for this long is disconnected. */
const idleMs = 10_000;

/** Answers questions after its health until it is told to stop. */
export async function runEtcd(words: readonly string[]): Promise<void> {
  const servers = await Promise.all(addressesOf(readFlags(words)).map(listen));
  const stop = (): void => {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
    for (const { server, sockets } of servers) {
      server.close();
      for (const socket of sockets) socket.destroy();
    }
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
}

function addressesOf(flags: Flags): { host: string; port: number }[] {
  const urls = listValue(flags, "listen-client-urls");
  return (urls.length === 0 ? ["http://localhost:2379"] : urls).map((url) => {
    const { hostname, port } = new URL(url);
    return { host: hostname.replaceAll(/^\[|\]$/g, ""), port: Number(port) };
  });
}

async function listen(where: { host: string; port: number }): Promise<{ server: Server; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.setTimeout(idleMs, () => socket.destroy());
    answer(socket);
  });
  server.listen(where);
  await once(server, "listening");
  return { server, sockets };
}

/** Answers the one request of a connection, and ends it. */
function answer(socket: Socket): void {
  let head = "";
  socket.setEncoding("latin1");
  socket.on("data", (piece: string) => {
    head += piece;
    if (head.length > headBytesMax) socket.destroy();
    if (!head.includes("\r\n\r\n") || socket.writableEnded) return;
    const [, path] = /^(?:GET|HEAD) ([^ ?]*)/.exec(head) ?? [];
    const isKnown = path === "/health" || path === "/readyz" || path === "/livez";
    const body = isKnown ? '{"health":"true","reason":""}' : "404 page not found\n";
    const type = isKnown ? "application/json" : "text/plain; charset=utf-8";
    const status = isKnown ? "200 OK" : "404 Not Found";
    const headers = `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\nConnection: close`;
    socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${head.startsWith("HEAD") ? "" : body}`);
  });
}
