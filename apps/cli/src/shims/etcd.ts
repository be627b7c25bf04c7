// Implementation of the `etcd` asset. It answers health checks and stores nothing: the embedded API server keeps its own state.

import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { type Flags, listValue, readFlags } from "./flags.ts";

/** Flags of etcd that have an effect or that harnesses look for; all others are accepted and ignored. */
export const etcdFlags = {
  "listen-client-urls": "URLs to serve health checks on (default http://localhost:2379)",
  "unsafe-no-fsync": "accepted and ignored: nothing is written",
} as const;

const headBytesMax = 16 * 1024;
/** A client that sends nothing for this long is disconnected. */
const idleMs = 10_000;

/** Serves health checks until SIGINT or SIGTERM. */
export async function runEtcd(argv: readonly string[]): Promise<void> {
  const servers = await Promise.all(addressesOf(readFlags(argv)).map(listen));
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

async function listen(address: { host: string; port: number }): Promise<{ server: Server; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.setTimeout(idleMs, () => socket.destroy());
    respond(socket);
  });
  server.listen(address);
  await once(server, "listening");
  return { server, sockets };
}

/** Responds to the first request of a connection and closes it. */
function respond(socket: Socket): void {
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
