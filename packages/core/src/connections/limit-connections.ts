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
   * The time limit of a request from its headers to the end of its response, in milliseconds. Its connection is then closed. With
   * `Infinity`, for servers with endless responses, clients that never read a response keep their connections.
   */
  readonly requestMsMax: number;
  /** Called for each connection that was evicted, refused, or closed at the deadline. Must not throw. */
  readonly onClosed?: ((reason: "evicted" | "refused" | "deadline") => void) | undefined;
}

/**
 * Limits the connections of an HTTP or HTTPS server, in total and for each remote address.
 *
 * At a limit the connection that is idle the longest is closed, see {@link ConnectionTable}. Replaces `maxConnections` of the server,
 * which refuses the newest connection, so that idle clients could lock out probes.
 */
export function limitConnections(server: LimitedServer, options: LimitConnectionsOptions): void {
  const limiter = new ConnectionLimiter(options);
  server.on("connection", (socket) => limiter.open(socket));
  server.on("request", (request, response) => limiter.begin(request, response));
}

/** Limits connections of servers that {@link limitConnections} does not support, such as one with several protocols on a port. */
export class ConnectionLimiter {
  readonly #options: LimitConnectionsOptions;
  readonly #table: ConnectionTable<LimitedSocket>;
  /** Raw sockets by peer. With TLS, `connection` events have the raw socket and requests the TLS socket; both have the same peer. */
  readonly #byPeer = new Map<string, LimitedSocket>();

  constructor(options: LimitConnectionsOptions) {
    this.#options = options;
    this.#table = new ConnectionTable(options);
  }

  /** Records a new connection. At a limit closes an idle connection, or the new one if none is idle. */
  open(socket: LimitedSocket): void {
    const { onClosed = () => undefined } = this.#options;
    const peer = peerOf(socket);
    const { isAccepted, evicted } = this.#table.add(socket, addressOf(socket));
    if (evicted !== undefined) {
      evicted.destroy();
      onClosed("evicted");
    }
    if (!isAccepted) {
      socket.destroy();
      onClosed("refused");
      return;
    }
    this.#byPeer.set(peer, socket);
    socket.once("close", () => {
      this.#table.remove(socket);
      if (this.#byPeer.get(peer) === socket) this.#byPeer.delete(peer);
    });
  }

  /** Records a request. Its connection is not evicted until the response is closed. */
  begin(request: LimitedRequest, response: LimitedResponse): void {
    const { clock, requestMsMax, onClosed = () => undefined } = this.#options;
    const socket = this.#byPeer.get(peerOf(request.socket));
    if (socket === undefined) return;
    this.#table.begin(socket);
    const deadline =
      requestMsMax === Infinity
        ? undefined
        : clock.schedule(requestMsMax, () => {
            socket.destroy();
            onClosed("deadline");
          });
    response.once("close", () => {
      deadline?.[Symbol.dispose]();
      this.#table.end(socket);
    });
  }
}

/** Returns a string that identifies the peer of an open connection. */
function peerOf({ remoteAddress = "", remotePort = 0, localAddress = "" }: LimitedSocket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** Returns the remote address. IPv4-mapped IPv6 addresses are converted, so that a client counts once on both kinds of sockets. */
function addressOf({ remoteAddress = "" }: LimitedSocket): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.)/i, "");
}
