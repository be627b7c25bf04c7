import type { Clock } from "@homeostat/core";
import { Deadlines } from "../limits/deadlines.ts";
import type { ProxyLimits } from "../limits/limits.ts";
import type { AcceptedConnection, Engine } from "../listener/engine.ts";
import type { ProxyObserver } from "../observe/observer.ts";
import type { Balancer } from "../upstream/balancer.ts";
import { type Connect, connectTcp } from "../upstream/connect.ts";
import { ClientConnection, type ClientConnections } from "./client-connection.ts";
import type { Services } from "./services.ts";
import { Http1Pool } from "./upstream-pool.ts";

/** Dependencies of an {@link Http1Engine}. */
export interface Http1EngineOptions {
  readonly balancer: Balancer;
  readonly clock: Clock;
  readonly limits: ProxyLimits;
  readonly observer: ProxyObserver;
  /** Default: TCP. */
  readonly connect?: Connect | undefined;
}

/** Serves connections of HTTP/1.1. */
export class Http1Engine implements Engine, Services, ClientConnections {
  readonly balancer: Balancer;
  readonly limits: ProxyLimits;
  readonly observer: ProxyObserver;
  readonly deadlines: Deadlines;
  readonly pool: Http1Pool;
  isDraining = false;
  readonly #connections = new Set<ClientConnection>();

  constructor({ balancer, clock, limits, observer, connect = connectTcp }: Http1EngineOptions) {
    this.balancer = balancer;
    this.limits = limits;
    this.observer = observer;
    this.deadlines = new Deadlines(clock);
    this.pool = new Http1Pool({ connect, deadlines: this.deadlines, limits });
  }

  /** Number of open connections of clients. */
  get size(): number {
    return this.#connections.size;
  }

  accept(accepted: AcceptedConnection): void {
    const connection = new ClientConnection(accepted, this, this);
    this.#connections.add(connection);
    if (accepted.first.length > 0) connection.receive(accepted.first);
  }

  /** Closes upstream connections to all addresses but these: idle ones at once, busy ones after their request. */
  retain(addresses: ReadonlySet<string>): void {
    this.pool.retain(addresses);
  }

  drain(): void {
    this.isDraining = true;
    for (const connection of this.#connections) connection.drain();
  }

  close(): void {
    for (const connection of this.#connections) connection.destroy();
    this.pool.close();
  }

  removed(connection: ClientConnection): void {
    this.#connections.delete(connection);
  }
}
