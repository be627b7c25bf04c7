import type { Socket } from "node:net";
import type { HttpProtocol, Router } from "../router/route-plan.ts";

/** A connection that a listener hands to an engine. */
export interface AcceptedConnection {
  /** A TCP or TLS socket. */
  readonly socket: Socket;
  /** Protocol that the first bytes, or ALPN, tell. */
  readonly protocol: HttpProtocol;
  /** Bytes that the listener has read from the socket. The listener has removed its own event handlers. */
  readonly first: Buffer;
  readonly router: Router;
  readonly scheme: "http" | "https";
}

/** Serves the connections of one protocol. One engine serves all listeners of a process. */
export interface Engine {
  /** Number of open connections of clients. */
  readonly size: number;
  /** Takes over a connection until it is closed. */
  accept(connection: AcceptedConnection): void;
  /** Closes upstream connections to all addresses but these: idle ones at once, busy ones after their request. */
  retain(addresses: ReadonlySet<string>): void;
  /** Lets running requests finish and closes connections as soon as they are idle. New requests on them are the last ones. */
  drain(): void;
  /** Closes all connections at once. */
  close(): void;
}
