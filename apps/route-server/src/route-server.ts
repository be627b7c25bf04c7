// The parts of the route server, joined.

import type { Client } from "@homeostat/client";
import { type Clock, type Random, uuid } from "@homeostat/core";
import type { Cache, HttpAddress, Logger, Registry } from "@homeostat/runtime";
import type { KeyPair } from "@homeostat/x509";
import { TokenAuth } from "./auth/token-auth.ts";
import { TableFeed } from "./feed/table-feed.ts";
import { ClusterHosts } from "./observe/cluster-hosts.ts";
import { ClusterTables } from "./observe/cluster-tables.ts";
import { RouteServerMetrics } from "./metrics/route-server-metrics.ts";
import { LiveProxies, type ProxiesListener } from "./proxies/live-proxies.ts";
import { PublishTimes } from "./proxies/publish-times.ts";
import { StatusWriter } from "./proxies/status-writer.ts";
import { UseWriter } from "./proxies/use-writer.ts";
import { tableSubjects } from "./proxies/table-subjects.ts";
import { type QueryServer, serveQueries } from "./query/query-server.ts";
import { ActivityLedger } from "./traffic/activity-ledger.ts";
import { ActivityWriter } from "./traffic/activity-writer.ts";
import { PropagationAudit } from "./traffic/propagation-audit.ts";
import { Traffic } from "./traffic/traffic.ts";
import { serveStreams, type StreamServer, type StreamServerOptions } from "./stream/stream-server.ts";

export interface RouteServerOptions extends Pick<StreamServerOptions, "streamsMax" | "backlogMax"> {
  readonly cache: Cache;
  readonly client: Pick<Client, "create" | "apply" | "patch">;
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
  readonly #metrics = new RouteServerMetrics();
  #streams: StreamServer | undefined;
  #isReady = false;

  constructor(options: RouteServerOptions) {
    this.#options = options;
    this.feed = new TableFeed({ epoch: uuid(options.random) });
    const { clock, registry } = options;
    this.#proxies = new LiveProxies({
      clock,
      onChange: (filter, after) => {
        this.#onProxies(filter, after);
        times.update();
      },
    });
    const times = new PublishTimes({
      feed: this.feed,
      proxies: () => this.#proxies,
      clock,
      onPublished: (namespace, seconds) => this.#metrics.publishSeconds.observe({ namespace }, seconds),
    });
    const { feed } = this;
    const certificateExpiry = (): number | undefined => this.#streams?.expiresAt;
    this.#metrics.register(registry, { feed, proxies: this.#proxies, times, certificateExpiry });
  }

  #onProxies: ProxiesListener = () => undefined;

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
    using tables = new ClusterTables({
      cache,
      feed,
      log,
      onObject: (key) => {
        writer.mark(key);
        traffic.readShared(tables.object(key), replica);
      },
    });
    using hosts = new ClusterHosts({ cache, feed });
    const writing = { clock, log, replica, replicas: () => replicasOf(tables, { ownService, replica }) };
    const writer = new StatusWriter({ ...writing, subjects: tableSubjects({ client, feed, tables, hosts, proxies }) });
    const useWriter = new UseWriter({
      client,
      ...writing,
      tableOf: (id) => hosts.tableOfToken(id),
      tables: () => tables.objects(),
    });
    this.#onProxies = (filter, after) => writer.markAll(filter, after);
    const ledger = new ActivityLedger();
    const audit = new PropagationAudit({
      onLost: ({ namespace, from }) => this.#metrics.lostKeys.inc({ namespace, service: from }),
    });
    const traffic = new Traffic({
      feed,
      ledger,
      clock,
      audit,
      callerOf: (namespace, address) => tables.callerOf(namespace, address),
    });
    const activityWriter = new ActivityWriter({ client, clock, log, tables, ledger, audit, replica });
    try {
      await tables.start(signal);
      await hosts.start(signal);
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
        audit,
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
        traffic,
        metrics: this.#metrics,
        clock,
        log,
        systemNamespace,
        streamsMax,
        backlogMax,
        onUses: (uses) => useWriter.add(uses),
      });
      this.#streams = streams;
      log.info("Serving route tables", { streamPort: streams.port, queryPort: queries.port });
      onListening?.({ streams, queries });
      await Promise.all([writer.run(signal), activityWriter.run(signal), useWriter.run(signal)]);
      this.#isReady = false;
    }
    // All streams have ended: this removes the entries of this replica.
    await writer.flush();
    await useWriter.flush();
  }
}

/** Returns the replicas that exist; undefined if this one is not among them, and the Service does not show them. */
function replicasOf(
  tables: ClusterTables,
  { ownService, replica }: { readonly ownService: string | undefined; readonly replica: string },
): ReadonlySet<string> | undefined {
  if (ownService === undefined) return undefined;
  const pods = tables.podsOf(ownService);
  return pods.has(replica) ? pods : undefined;
}
