/** Limits of a {@link ConnectionTable}. */
export interface ConnectionLimits {
  /** The maximum number of connections of all clients. */
  readonly totalMax: number;
  /** The maximum number of connections per remote address. It must be below `totalMax`, or one address can take all connections. */
  readonly perAddressMax: number;
}

/** The outcome of a new connection: whether it is kept, and the idle connection that must be closed to make room. */
export interface Admittance<C> {
  readonly isAccepted: boolean;
  readonly evicted?: C;
}

interface Entry {
  readonly address: string;
  /** Requests in flight on the connection; HTTP/1.1 pipelining and HTTP/2 allow several. */
  requests: number;
  /** Increases each time a connection becomes idle, so the smallest number belongs to the connection that is idle the longest. */
  idleOrder: number;
}

interface Holder<C> {
  count: number;
  /** The idle connections, in the order in which they became idle. */
  readonly idle: Set<C>;
}

/**
 * The open connections of a server. Decides which connection is closed to make room for a new one.
 *
 * A server that refuses new connections at a limit can be blocked with idle connections: the probes of the kubelet are refused
 * as well, and the pod is restarted. Here the connection that is idle the longest is closed instead. It is chosen from the address
 * with the most connections, so that a flood from one address closes its own connections first. A connection with a request in
 * flight is never evicted, so requests need a deadline of their own. A connection that has sent only part of a request counts as
 * idle, since slow senders are what the limit is for.
 *
 * The caller closes the connections.
 */
export class ConnectionTable<C> {
  readonly #limits: ConnectionLimits;
  readonly #entries = new Map<C, Entry>();
  readonly #holders = new Map<string, Holder<C>>();
  #order = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** The number of open connections. */
  get size(): number {
    return this.#entries.size;
  }

  /** Adds a new connection, which is idle at first. An evicted connection is no longer in the table afterwards. */
  add(connection: C, address: string): Admittance<C> {
    const { totalMax, perAddressMax } = this.#limits;
    const own = this.#holders.get(address);
    const isAddressFull = own !== undefined && own.count >= perAddressMax;
    const isFull = this.#entries.size >= totalMax;
    let evicted: C | undefined;
    if (isAddressFull || isFull) {
      evicted = isAddressFull ? oldestOf(own) : this.#oldestOfLargestHolder();
      if (evicted === undefined) return { isAccepted: false };
      this.remove(evicted);
    }
    this.#insert(connection, address);
    return evicted === undefined ? { isAccepted: true } : { isAccepted: true, evicted };
  }

  /** Records that a request started on the connection. */
  begin(connection: C): void {
    const entry = this.#entries.get(connection);
    if (entry === undefined) return;
    entry.requests += 1;
    this.#holders.get(entry.address)?.idle.delete(connection);
  }

  /** Records that a request on the connection ended. */
  end(connection: C): void {
    const entry = this.#entries.get(connection);
    if (entry === undefined) return;
    entry.requests = Math.max(0, entry.requests - 1);
    if (entry.requests > 0) return;
    entry.idleOrder = this.#order += 1;
    this.#holders.get(entry.address)?.idle.add(connection);
  }

  /** Removes a connection that was closed. */
  remove(connection: C): void {
    const entry = this.#entries.get(connection);
    if (entry === undefined) return;
    this.#entries.delete(connection);
    const holder = this.#holders.get(entry.address);
    if (holder === undefined) return;
    holder.count -= 1;
    holder.idle.delete(connection);
    if (holder.count === 0) this.#holders.delete(entry.address);
  }

  #insert(connection: C, address: string): void {
    const holder = this.#holders.get(address) ?? { count: 0, idle: new Set<C>() };
    this.#holders.set(address, holder);
    holder.count += 1;
    holder.idle.add(connection);
    this.#entries.set(connection, { address, requests: 0, idleOrder: (this.#order += 1) });
  }

  /** Returns the longest idle connection of the address with the most connections among those with an idle one. */
  #oldestOfLargestHolder(): C | undefined {
    let best: { readonly connection: C; readonly count: number; readonly order: number } | undefined;
    for (const holder of this.#holders.values()) {
      const connection = oldestOf(holder);
      if (connection === undefined) continue;
      const order = this.#entries.get(connection)?.idleOrder ?? 0;
      const { count } = holder;
      if (best === undefined || count > best.count || (count === best.count && order < best.order)) {
        best = { connection, count, order };
      }
    }
    return best?.connection;
  }
}

function oldestOf<C>({ idle }: Holder<C>): C | undefined {
  const [oldest] = idle;
  return oldest;
}
