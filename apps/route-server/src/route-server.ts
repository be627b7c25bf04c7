// The parts of the route server, joined.

import type { Client } from "@homeostat/client";
import { type Clock, type Random, uuid } from "@homeostat/core";
import { type Cache, Gauge, type HttpAddress, type Logger, type Registry } from "@homeostat/runtime";
import type { KeyPair } from "@homeostat/x509";
import { TokenAuth } from "./auth/token-auth.ts";
import { TableFeed } from "./feed/table-feed.ts";
import { ClusterTables } from "./observe/cluster-tables.ts";
import { LiveProxies } from "./proxies/live-proxies.ts";
import { StatusWriter } from "./proxies/status-writer.ts";
import { type QueryServer, serveQueries } from "./query/query-server.ts";
import { serveStreams, type StreamServer, type StreamServerOptions } from "./stream/stream-server.ts";

export interface RouteServerOptions extends Pick<StreamServerOptions, "streamsMax" | "backlogMax"> {
  readonly cache: Cache;
  readonly client: Pick<Client, "create" | "apply">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly registry: Registry;
  readonly streams: HttpAddress;
  readonly queries: HttpAddress;
  readonly systemNamespace: string;
  /** Name of the pod. */
  readonly replica: string;
  /** Key of the Service of the route server. */
  readonly ownService?: string | undefined;
}

/** Servers that listen. */
export interface ListeningServers {
  readonly streams: StreamServer;
  readonly queries: QueryServer;
}

export class RouteServer {
  readonly feed: TableFeed;
  readonly #options: RouteServerOptions;
  readonly #proxies: LiveProxies;
  #isReady = false;

  constructor(options: RouteServerOptions) {
    this.#options = options;
    this.feed = new TableFeed({ epoch: uuid(options.random) });
    this.#proxies = new LiveProxies((filter) => this.#onProxies(filter));
    options.registry.register(entriesGauge(this.feed));
    options.registry.register(
      new Gauge({
        name: "routeserver_streams",
        help: "Proxies with an open stream.",
        read: (set) => set(this.#proxies.size),
      }),
    );
  }

  #onProxies: (filter: Parameters<StatusWriter["markAll"]>[0]) => void = () => undefined;

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Reads the tables, then serves until the signal aborts. `onListening` gets the servers. */
  async run(
    signal: AbortSignal,
    {
      certificate,
      onListening,
    }: {
      readonly certificate: KeyPair;
      readonly onListening?: ((servers: ListeningServers) => void) | undefined;
    },
  ): Promise<void> {
    const { cache, client, clock, random, log, registry, replica, ownService } = this.#options;
    const { feed } = this;
    const proxies = this.#proxies;
    using tables = new ClusterTables({ cache, feed, log, onObject: (key) => writer.mark(key) });
    const writer = new StatusWriter({ client, clock, log, feed, tables, proxies: () => proxies, replica, ownService });
    this.#onProxies = (filter) => writer.markAll(filter);
    try {
      await tables.start(signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.#isReady = true;
    {
      const isReady = (): boolean => this.#isReady;
      const { queries: queryAddress, streams: streamAddress, systemNamespace, streamsMax, backlogMax } = this.#options;
      await using queries = await serveQueries({
        ...queryAddress,
        feed,
        proxies,
        clock,
        random,
        log,
        registry,
        isReady,
      });
      await using streams = await serveStreams({
        ...streamAddress,
        certificate,
        feed,
        auth: new TokenAuth({ client, clock }),
        proxies,
        clock,
        log,
        systemNamespace,
        streamsMax,
        backlogMax,
      });
      log.info("Serving route tables", { streamPort: streams.port, queryPort: queries.port });
      onListening?.({ streams, queries });
      await writer.run(signal);
      this.#isReady = false;
    }
    // All streams have ended: this removes the entries of this replica.
    await writer.flush();
  }
}

function entriesGauge(feed: TableFeed): Gauge<"namespace"> {
  return new Gauge({
    name: "routetable_entries",
    help: "Entries of all route tables of a namespace.",
    labels: ["namespace"],
    read: (set) => {
      const sums = new Map<string, number>();
      for (const { table } of feed.records()) {
        sums.set(table.namespace, (sums.get(table.namespace) ?? 0) + table.entries.length);
      }
      for (const [namespace, entries] of sums) set({ namespace }, entries);
    },
  });
}
