import { connect as connectSocket, type OnReadOpts, type Socket } from "node:net";
import type { Clock, Timer } from "@homeostat/core";
import { FieldTable } from "../hpack/field-table.ts";
import type { ProxyLimits } from "../limits/limits.ts";
import type { ProxyObserver } from "../observe/observer.ts";
import { takeReads } from "../listener/direct-reads.ts";
import type { AcceptedConnection, Engine } from "../listener/engine.ts";
import type { Balancer } from "../upstream/balancer.ts";
import type { Connect } from "../upstream/connect.ts";
import { ClientConnection } from "./client-connection.ts";
import type { EngineContext } from "./engine-context.ts";
import { HeldBytes } from "./held-bytes.ts";
import { UpstreamPool } from "./upstream-pool.ts";

/** Interval of checks of time limits. */
const checkMs = 500;

/** Options of an HTTP/2 engine. */
export interface Http2EngineOptions {
  readonly clock: Clock;
  readonly limits: ProxyLimits;
  readonly balancer: Balancer;
  readonly observer: ProxyObserver;
  /** Opens connections to upstreams. By default, TCP connections. */
  readonly connect?: Connect | undefined;
}

/**
 * The HTTP/2 engine: it forwards requests of HTTP/2 connections, with or without TLS, frame by frame.
 *
 * Header blocks are copied without encoding them again, data without collecting it, and frames are written once per turn of the event loop.
 */
export class Http2Engine implements Engine {
  readonly #context: EngineContext;
  readonly #clients = new Set<ClientConnection>();
  #timer: Timer | undefined;

  constructor({ clock, limits, balancer, observer, connect = connectTo }: Http2EngineOptions) {
    const pool = new UpstreamPool(connect);
    this.#context = {
      clock,
      limits,
      balancer,
      observer,
      pool,
      held: new HeldBytes(limits.heldBytesMax),
      table: new FieldTable({ fieldsMax: limits.headersMax, listBytesMax: limits.headBytesMax }),
      headBytesMax: limits.headBytesMax,
      coarseMs: clock.monotonic(),
      streams: 0,
    };
    pool.setContext(this.#context);
  }

  /** Number of open client connections. */
  get size(): number {
    return this.#clients.size;
  }

  /** Serves a connection whose client sends, or has sent, the preface of HTTP/2. */
  accept({ socket, first, router, scheme }: AcceptedConnection): void {
    if (this.#timer === undefined) {
      this.#context.coarseMs = this.#context.clock.monotonic();
      this.#schedule();
    }
    // The first read follows in a later turn of the event loop.
    const direct = takeReads(socket, { receive: (bytes) => connection.receive(bytes) });
    const connection: ClientConnection = new ClientConnection(direct ?? socket, this.#context, {
      router,
      // IPv4 addresses of a socket that accepts both families are mapped to IPv6.
      client: { scheme, clientAddress: (direct ?? socket).remoteAddress?.replace(/^::ffff:/, "") },
      onClose: () => this.#clients.delete(connection),
    });
    this.#clients.add(connection);
    if (first.length > 0) connection.receive(first);
    socket.resume();
  }

  /** Closes connections to addresses that no table names any more. Running requests finish. */
  retain(addresses: ReadonlySet<string>): void {
    this.#context.pool.retain(addresses);
  }

  /** Sends GOAWAY to all clients. Each connection closes when its requests have ended. */
  drain(): void {
    for (const client of this.#clients) client.drain();
  }

  /** Closes all connections at once. */
  close(): void {
    for (const client of this.#clients) client.destroy();
    for (const upstream of this.#context.pool.connections) upstream.destroy();
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #schedule(): void {
    this.#timer = this.#context.clock.schedule(checkMs, () => {
      const nowMs = this.#context.clock.monotonic();
      const elapsedMs = nowMs - this.#context.coarseMs;
      this.#context.coarseMs = nowMs;
      for (const client of this.#clients) client.checkTime(nowMs, elapsedMs);
      const upstreams = this.#context.pool.connections;
      for (const upstream of upstreams) upstream.checkTime(nowMs, elapsedMs);
      this.#timer = undefined;
      if (this.#clients.size > 0 || upstreams.length > 0) this.#schedule();
    });
  }
}

/** Connects to `host:port`; an IPv6 host is in brackets. */
function connectTo(target: string, onread?: OnReadOpts): Socket {
  const colon = target.lastIndexOf(":");
  const host = target.slice(0, colon).replace(/^\[|\]$/g, "");
  return connectSocket({ host, port: Number(target.slice(colon + 1)), noDelay: true, ...(onread && { onread }) });
}
