import type { Deadlines, Timed } from "../limits/deadlines.ts";
import type { ProxyLimits } from "../limits/limits.ts";
import { UpstreamConnection } from "./upstream-connection.ts";
import type { Connect } from "../upstream/connect.ts";
import { connectTls, type UpstreamTls } from "../upstream/upstream-tls.ts";

/** Dependencies of a {@link Http1Pool}. */
export interface Http1PoolOptions {
  readonly connect: Connect;
  readonly deadlines: Deadlines;
  readonly limits: ProxyLimits;
}

/** Idle connections to one address. */
interface AddressPool {
  readonly address: string;
  readonly idle: UpstreamConnection[];
  /** True when the tables no longer have the address. Connections are then closed after their request. */
  isRetired: boolean;
}

const checkMs = 1_000;

/**
 * Keeps idle connections to upstreams.
 *
 * An address that disappears from the tables may belong to another pod soon. Its idle connections are closed at once, and the busy ones
 * after their request. If the address comes back, it gets new connections only.
 */
export class Http1Pool implements Timed {
  deadline: number = Infinity;
  readonly #options: Http1PoolOptions;
  readonly #addresses = new Map<string, AddressPool>();
  readonly #pools = new Map<UpstreamConnection, AddressPool>();
  #known: ReadonlySet<string> | undefined;

  constructor(options: Http1PoolOptions) {
    this.#options = options;
  }

  /** Number of open connections. */
  get size(): number {
    return this.#pools.size;
  }

  /** Returns the connection to an address that became idle last, or a new one. Connections with and without TLS are never mixed. */
  take(address: string, tls?: UpstreamTls): UpstreamConnection {
    const pool = this.#poolOf(address, tls);
    const idle = pool.idle.pop();
    if (idle !== undefined) return idle;
    const { connect, deadlines, limits } = this.#options;
    const connection = new UpstreamConnection({
      pool: this,
      open: (onread) => (tls === undefined ? connect(address, onread) : connectTls(address, tls, onread)),
      isTls: tls !== undefined,
      clock: deadlines.clock,
      limits,
    });
    if (this.#pools.size === 0) {
      this.deadline = deadlines.clock.monotonic() + checkMs;
      deadlines.add(this);
    }
    this.#pools.set(connection, pool);
    return connection;
  }

  /** Takes a connection back after its request, or closes it. */
  put(connection: UpstreamConnection): void {
    const pool = this.#pools.get(connection);
    const { deadlines, limits } = this.#options;
    if (pool === undefined || pool.isRetired || pool.idle.length >= limits.idleUpstreamsMax)
      return connection.destroy();
    connection.idleSince = deadlines.clock.monotonic();
    pool.idle.push(connection);
  }

  /** Removes a connection that is closed. */
  remove(connection: UpstreamConnection): void {
    const pool = this.#pools.get(connection);
    if (pool === undefined) return;
    this.#pools.delete(connection);
    const at = pool.idle.indexOf(connection);
    if (at !== -1) pool.idle.splice(at, 1);
    if (this.#pools.size === 0) this.#options.deadlines.remove(this);
  }

  /** Closes the connections to all other addresses: idle ones at once, busy ones after their request. */
  retain(addresses: ReadonlySet<string>): void {
    this.#known = addresses;
    for (const [id, pool] of this.#addresses) {
      if (addresses.has(pool.address)) continue;
      pool.isRetired = true;
      this.#addresses.delete(id);
      for (const connection of pool.idle.slice()) connection.destroy();
    }
  }

  /** Closes all connections at once. */
  close(): void {
    for (const connection of this.#pools.keys()) connection.destroy();
  }

  /** Closes connections that were idle for too long. */
  expire(now: number): void {
    this.deadline = now + checkMs;
    const oldest = now - this.#options.limits.upstreamKeepAliveMs;
    for (const { idle } of this.#addresses.values())
      for (const connection of idle.slice()) if (connection.idleSince <= oldest) connection.destroy();
  }

  #poolOf(address: string, tls: UpstreamTls | undefined): AddressPool {
    const id = tls === undefined ? address : `${address} ${tls.id}`;
    let pool = this.#addresses.get(id);
    if (pool !== undefined) return pool;
    // A request that began with an older table may still use its targets, but leaves no idle connection behind.
    const isRetired = this.#known?.has(address) === false;
    pool = { address, idle: [], isRetired };
    if (!isRetired) this.#addresses.set(id, pool);
    return pool;
  }
}
