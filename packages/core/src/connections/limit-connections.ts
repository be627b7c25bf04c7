import type { Clock } from "../seams/clock.ts";
import { type ConnectionLimits, ConnectionTable } from "./connection-table.ts";

/** The part of a socket that {@link limitConnections} uses. Sockets of Node have it. */
export interface LimitedSocket {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  destroy(): unknown;
  once(event: "close", listener: () => void): unknown;
}

/** The part of an HTTP or HTTPS server that {@link limitConnections} uses. Servers of Node have it. */
export interface LimitedServer {
  on(event: "connection", listener: (socket: LimitedSocket) => void): unknown;
  on(event: "request", listener: (request: LimitedRequest, response: LimitedResponse) => void): unknown;
}

/** The part of a request that {@link limitConnections} uses. */
export interface LimitedRequest {
  readonly socket: LimitedSocket;
}

/** The part of a response that {@link limitConnections} uses. */
export interface LimitedResponse {
  once(event: "close", listener: () => void): unknown;
}

/** Options of {@link limitConnections}. */
export interface LimitConnectionsOptions extends ConnectionLimits {
  readonly clock: Clock;
  /**
   * The longest that a request may take from its headers to the end of its response, in milliseconds. Its connection is
   * closed then. Without a deadline, clients that never read a response would keep their connections forever.
   */
  readonly requestMsMax: number;
  /** Called for each connection that was closed to make room, refused, or cut at the deadline. Must not throw. */
  readonly onClosed?: ((reason: "evicted" | "refused" | "deadline") => void) | undefined;
}

/**
 * Limits the connections of an HTTP or HTTPS server, in total and for each remote address.
 *
 * At a limit the longest idle connection makes room, see {@link ConnectionTable}. Replaces the server's own
 * `maxConnections`, which refuses the newest connection, so that idle clients could lock out probes.
 */
export function limitConnections(server: LimitedServer, options: LimitConnectionsOptions): void {
  const { clock, requestMsMax, onClosed = () => undefined } = options;
  const table = new ConnectionTable<LimitedSocket>(options);
  // With TLS, `connection` reports the raw socket and a request has the TLS socket around it. Both have the same peer.
  const byPeer = new Map<string, LimitedSocket>();
  server.on("connection", (socket) => {
    const peer = peerOf(socket);
    const { isAccepted, evicted } = table.add(socket, addressOf(socket));
    if (evicted !== undefined) {
      evicted.destroy();
      onClosed("evicted");
    }
    if (!isAccepted) {
      socket.destroy();
      onClosed("refused");
      return;
    }
    byPeer.set(peer, socket);
    socket.once("close", () => {
      table.remove(socket);
      if (byPeer.get(peer) === socket) byPeer.delete(peer);
    });
  });
  server.on("request", (request, response) => {
    const socket = byPeer.get(peerOf(request.socket));
    if (socket === undefined) return;
    table.begin(socket);
    const deadline = clock.schedule(requestMsMax, () => {
      request.socket.destroy();
      onClosed("deadline");
    });
    response.once("close", () => {
      deadline[Symbol.dispose]();
      table.end(socket);
    });
  });
}

/** Identifies the other end of a connection among all that are open. */
function peerOf({ remoteAddress = "", remotePort = 0, localAddress = "" }: LimitedSocket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** Returns the remote address, where an IPv4 client of an IPv6 socket is the same client as on an IPv4 socket. */
function addressOf({ remoteAddress = "" }: LimitedSocket): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.)/i, "");
}
