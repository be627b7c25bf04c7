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
   * closed then. Without a deadline (`Infinity`, for servers of endless responses), clients that never read a response keep
   * their connections.
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
  const limiter = new ConnectionLimiter(options);
  server.on("connection", (socket) => limiter.open(socket));
  server.on("request", (request, response) => limiter.begin(request, response));
}

/** Limits connections for servers that {@link limitConnections} cannot listen to, such as one with several protocols. */
export class ConnectionLimiter {
  readonly #options: LimitConnectionsOptions;
  readonly #table: ConnectionTable<LimitedSocket>;
  /** With TLS, a connection is opened as a raw socket and a request has the TLS socket around it. Both have the same peer. */
  readonly #byPeer = new Map<string, LimitedSocket>();

  constructor(options: LimitConnectionsOptions) {
    this.#options = options;
    this.#table = new ConnectionTable(options);
  }

  /** Records a new connection. Closes an idle one for it, or the new one where none is idle. */
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

  /** Records a request. Its connection is not closed for others until the response is closed. */
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

/** Identifies the other end of a connection among all that are open. */
function peerOf({ remoteAddress = "", remotePort = 0, localAddress = "" }: LimitedSocket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** Returns the remote address, where an IPv4 client of an IPv6 socket is the same client as on an IPv4 socket. */
function addressOf({ remoteAddress = "" }: LimitedSocket): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.)/i, "");
}
