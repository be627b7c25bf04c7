import type { Agent, ClientRequestArgs } from "node:http";
import { Socket } from "node:net";
import { dialUntil } from "../proxy/proxy.ts";
import { PooledConnection } from "./pooled-connection.ts";
import { SocketReadBuffer } from "./socket-read-buffer.ts";

/**
 * Opens a connection, and calls back with a socket that may still be connecting; see `Agent.createConnection`.
 *
 * Returns a function that aborts connecting through a proxy. Once there is a socket, close that instead.
 */
export type OpenSocket = (
  callback: (error: Error | null, socket?: Socket) => void,
  onread: SocketReadBuffer,
) => () => void;

/** The maximum number of idle connections. */
const idleMax = 32;

/** Connections that were idle for longer are not reused: API servers close them after 90 s, load balancers earlier. */
const idleMsMax = 55_000;

/** The open connections for requests other than streams. The most recently used one is reused first. */
export class ConnectionPool {
  readonly #open: OpenSocket;
  readonly #all = new Set<PooledConnection>();
  #idle: PooledConnection[] = [];
  #isRetired = false;

  constructor(open: OpenSocket) {
    this.#open = open;
  }

  /** True if any connection is open. */
  get isInUse(): boolean {
    return this.#all.size > 0;
  }

  /** Takes an idle connection, if there is one. `now` is the monotonic time. */
  take(now: number): PooledConnection | undefined {
    const connection = this.#idle.pop();
    if (connection === undefined || now - connection.idleSince <= idleMsMax) return connection;
    // The other connections have been idle for even longer.
    connection.drop();
    for (const other of this.#idle.splice(0)) other.drop();
    return undefined;
  }

  /** Opens a connection, and calls back once, possibly at once, with a socket that may still be connecting. Returns a function that aborts it. */
  open(callback: (error: Error | null, connection?: PooledConnection) => void): () => void {
    const readBuffer = new SocketReadBuffer();
    return this.#open((error, socket) => {
      if (socket === undefined) return callback(error ?? new Error("no connection"));
      const connection = new PooledConnection(socket, (over) => this.#forget(over));
      readBuffer.receiver = connection;
      this.#all.add(connection);
      callback(null, connection);
    }, readBuffer);
  }

  /** Returns a connection to the pool for reuse. */
  release(connection: PooledConnection, now: number): void {
    connection.release(now);
    if (this.#isRetired || connection.isOver || this.#idle.length >= idleMax) connection.drop();
    else this.#idle.push(connection);
  }

  /** Closes all idle connections, and others when they become idle. */
  retire(): void {
    this.#isRetired = true;
    for (const connection of this.#idle) connection.drop();
    this.#idle = [];
  }

  /** Closes all connections and notifies their users. */
  close(): void {
    this.retire();
    for (const connection of this.#all) connection.socket.destroy();
  }

  #forget(connection: PooledConnection): void {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}

/** Returns a function that opens connections like an agent, with its proxy and certificates. */
export function opener(agent: Agent, options: ClientRequestArgs): OpenSocket {
  return (callback, onread) => {
    let isCalled = false;
    const once: typeof callback = (error, socket) => {
      if (isCalled) return;
      isCalled = true;
      callback(error, socket);
    };
    const dialing = new AbortController();
    const more: object = { onread, ...dialUntil(dialing.signal) };
    const socket = agent.createConnection({ ...options, ...more }, (error, stream) =>
      once(error, stream instanceof Socket ? stream : undefined),
    );
    if (socket instanceof Socket) once(null, socket);
    return () => dialing.abort();
  };
}
