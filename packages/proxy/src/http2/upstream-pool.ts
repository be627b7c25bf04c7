import { directReads } from "../listener/direct-reads.ts";
import type { Connect } from "../upstream/connect.ts";
import type { EngineContext } from "./engine-context.ts";
import type { ProxyStream } from "./proxy-stream.ts";
import { UpstreamConnection, type UpstreamOwner } from "./upstream-connection.ts";

/** Streams on all connections to an address before another connection is opened. */
const streamsPerConnection = 100;
const connectionsPerTargetMax = 16;

interface Target {
  readonly connections: UpstreamConnection[];
  /** Requests that no connection has room for. */
  readonly waiting: ProxyStream[];
}

/** Connections to upstreams: one per address, and one more for each hundred streams. */
export class UpstreamPool implements UpstreamOwner {
  readonly #connect: Connect;
  readonly #targets = new Map<string, Target>();
  #context: EngineContext | undefined;

  constructor(connect: Connect) {
    this.#connect = connect;
  }

  /** Sets what connections share. It refers to the pool, so it cannot be an argument of the constructor. */
  setContext(context: EngineContext): void {
    this.#context = context;
  }

  get connections(): readonly UpstreamConnection[] {
    return [...this.#targets.values()].flatMap(({ connections }) => connections);
  }

  /** Sends a request to an address, as soon as a connection has room. */
  connect(target: string, stream: ProxyStream): void {
    let entry = this.#targets.get(target);
    if (entry === undefined) {
      entry = { connections: [], waiting: [] };
      this.#targets.set(target, entry);
    }
    const connection = this.#withRoom(target, entry);
    if (connection !== undefined) connection.add(stream);
    else if (entry.waiting.length < (this.#context?.limits.pendingMax ?? 0)) entry.waiting.push(stream);
    else stream.fail("overflow");
  }

  #withRoom(target: string, { connections }: Target): UpstreamConnection | undefined {
    let best: UpstreamConnection | undefined;
    for (const one of connections) {
      if (one.load < one.streamsMax && (best === undefined || one.load < best.load)) best = one;
    }
    if (best !== undefined && best.load < streamsPerConnection) return best;
    if (connections.length >= connectionsPerTargetMax || this.#context === undefined) return best;
    // The first read follows in a later turn of the event loop.
    const socket = this.#connect(target, directReads({ receive: (bytes) => opened.receive(bytes) }));
    const opened: UpstreamConnection = new UpstreamConnection(socket, this.#context, { target, owner: this });
    connections.push(opened);
    return opened;
  }

  /** Removes a request that has not been sent. */
  cancel(target: string, stream: ProxyStream): void {
    const entry = this.#targets.get(target);
    if (entry === undefined) return;
    const index = entry.waiting.indexOf(stream);
    if (index !== -1) entry.waiting.splice(index, 1);
    for (const connection of entry.connections) connection.cancel(stream);
  }

  /** Closes connections to other addresses: idle ones at once, others after their last request. */
  retain(addresses: ReadonlySet<string>): void {
    for (const connection of this.connections) if (!addresses.has(connection.target)) connection.leave();
  }

  hasRoom(connection: UpstreamConnection): void {
    const waiting = this.#targets.get(connection.target)?.waiting ?? [];
    while (!connection.isLeaving && connection.load < connection.streamsMax) {
      const next = waiting.shift();
      if (next === undefined) return;
      connection.add(next);
    }
  }

  isLeaving(connection: UpstreamConnection): void {
    const entry = this.#targets.get(connection.target);
    if (entry === undefined) return;
    const index = entry.connections.indexOf(connection);
    if (index !== -1) entry.connections.splice(index, 1);
    const waiting = entry.waiting.splice(0);
    if (entry.connections.length === 0) this.#targets.delete(connection.target);
    for (const stream of waiting) this.connect(connection.target, stream);
  }

  close(): void {
    for (const connection of this.connections) connection.close();
  }
}
