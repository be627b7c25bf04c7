import { type Holds, type Listeners, type RouteObserver, type RouteTables, TableRouter } from "@homeostat/proxy";
import type { Logger } from "@homeostat/runtime";
import type { TableError } from "../routes/table-store.ts";

export interface ListenPortsOptions {
  readonly listeners: Listeners;
  readonly tables: RouteTables;
  readonly holds: Holds;
  readonly observer?: RouteObserver | undefined;
  readonly log: Logger;
  /** See {@link ListenerPort.silentMs}. */
  readonly silentMs?: number | undefined;
}

/** Protocols of Service ports that are not HTTP. Their connections are passed on without being read. */
const tcpProtocols: ReadonlySet<string> = new Set(["tcp", "kubernetes.io/tcp", "tls", "mysql", "redis", "mongo"]);
/** Protocols of Service ports that are HTTP without TLS. Ports without a protocol, and with any other, pass on what is not HTTP. */
const httpProtocols: ReadonlySet<string> = new Set([
  "http",
  "http2",
  "grpc",
  "ws",
  "kubernetes.io/h2c",
  "kubernetes.io/ws",
]);

/**
 * Keeps the open ports equal to those of the tables. A port that cannot be opened is reported and tried again with the next change; the others
 * open nevertheless.
 */
export class ListenPorts {
  readonly #options: ListenPortsOptions;
  readonly #failed = new Map<number, string>();
  #running: Promise<void> | undefined;
  #isStale = false;

  constructor(options: ListenPortsOptions) {
    this.#options = options;
  }

  /** Ports of the tables that could not be opened, with the reason. */
  get failed(): ReadonlyMap<number, string> {
    return this.#failed;
  }

  /** Problems of the tables whose ports could not be opened, for the route server. */
  get errors(): readonly TableError[] {
    const { ports } = this.#options.tables.current;
    return [...this.#failed].flatMap(([port, message]) => {
      const found = ports.get(port);
      return found === undefined ? [] : [{ namespace: found.namespace, service: found.service, message }];
    });
  }

  /** Opens and closes ports. Calls during a change are combined into one more change; the promise resolves after it. */
  sync(): Promise<void> {
    this.#isStale = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      await this.#apply();
    }
  }

  async #apply(): Promise<void> {
    const { listeners, tables } = this.#options;
    const wanted = tables.current.ports;
    for (const port of listeners.ports) if (!wanted.has(port)) listeners.closePort(port);
    for (const port of this.#failed.keys()) if (!wanted.has(port)) this.#failed.delete(port);
    for (const port of wanted.keys()) if (!listeners.ports.includes(port)) await this.#open(port);
  }

  async #open(port: number): Promise<void> {
    const { listeners, tables, holds, log, observer, silentMs } = this.#options;
    const router = new TableRouter({ tables, listen: port, holds, observer });
    const protocol = (): string => tables.current.ports.get(port)?.port.port.appProtocol ?? "";
    const isTcp = (): boolean => tcpProtocols.has(protocol());
    const isHttp = (): boolean => httpProtocols.has(protocol());
    try {
      const isHttp2 = (): boolean => router.isHttp2;
      await listeners.open({ port, router, baseline: () => router.baseline, isTcp, isHttp, isHttp2, silentMs });
      this.#failed.delete(port);
      log.info("Listening", { port });
    } catch (error) {
      this.#failed.set(port, error instanceof Error ? error.message : String(error));
      log.error("Failed to listen", { port, error });
    }
  }
}
