import { createServer, type Server, type Socket } from "node:net";
import type { Logger } from "@homeostat/runtime";

/** A port that is listened on, for one port of a LocalWorkload. */
export interface ListenTarget {
  /** `namespace/name` of the LocalWorkload, and name of its port. */
  readonly workload: string;
  readonly port: string;
}

/** Options of {@link Listeners}. */
export interface ListenersOptions {
  /** Address to listen on; undefined for all. */
  readonly host: string | undefined;
  readonly log: Logger;
  readonly onConnection: (socket: Socket, target: ListenTarget) => void;
  /** Connections that are open on one port at the same time. */
  readonly connectionsMax: number;
}

/** The listening ports of attached LocalWorkloads. */
export class Listeners {
  readonly #options: ListenersOptions;
  readonly #servers = new Map<number, { readonly server: Server; readonly target: ListenTarget }>();

  constructor(options: ListenersOptions) {
    this.#options = options;
  }

  /** Ports that are listened on. */
  get ports(): readonly number[] {
    return [...this.#servers.keys()];
  }

  /** Opens and closes ports so that exactly these are listened on. Connections that exist go on. */
  set(desired: ReadonlyMap<number, ListenTarget>): void {
    for (const [port, { server, target }] of this.#servers) {
      const other = desired.get(port);
      if (other?.workload === target.workload && other.port === target.port) continue;
      this.#servers.delete(port);
      server.close();
    }
    for (const [port, target] of desired) if (!this.#servers.has(port)) this.#open(port, target);
  }

  close(): void {
    this.set(new Map());
  }

  #open(port: number, target: ListenTarget): void {
    const { host, log, onConnection, connectionsMax } = this.#options;
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: false }, (socket) =>
      onConnection(socket, target),
    );
    server.maxConnections = connectionsMax;
    server.on("error", (error) => {
      log.warn("Failed to listen for a LocalWorkload", { port, localWorkload: target.workload, error });
      // The next change of the object tries again.
      if (this.#servers.get(port)?.server === server) this.#servers.delete(port);
    });
    this.#servers.set(port, { server, target });
    server.listen({ port, ...(host === undefined ? {} : { host }) });
  }
}
