import { Counter, Gauge, Histogram, type Registry } from "@homeostat/runtime";
import type { EndReason } from "@homeostat/routing";
import type { TableFeed } from "../feed/table-feed.ts";
import type { LiveProxies } from "../proxies/live-proxies.ts";
import type { PublishTimes } from "../proxies/publish-times.ts";

/** Objects that gauges are read from when they are scraped. */
export interface MeasuredParts {
  readonly feed: TableFeed;
  readonly proxies: LiveProxies;
  readonly times: PublishTimes;
  /** Returns the expiry of the serving certificate, in milliseconds since 1970; undefined until one is served. */
  certificateExpiry(this: void): number | undefined;
}

/** The metrics of one replica. */
export class RouteServerMetrics {
  readonly publishSeconds: Histogram<"namespace"> = new Histogram({
    name: "routetable_publish_seconds",
    help: "Time from a new version of a route table until the last connected proxy confirmed it, in seconds.",
    labels: ["namespace"],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  });
  readonly streamsEnded: Counter<"reason"> = new Counter({
    name: "routeserver_streams_ended_total",
    help: "Total number of ended proxy streams, by reason.",
    labels: ["reason"],
  });
  readonly refused: Counter<"code"> = new Counter({
    name: "routeserver_refused_requests_total",
    help: "Total number of refused proxy requests, by status code.",
    labels: ["code"],
  });

  readonly lostKeys: Counter<"namespace" | "service"> = new Counter({
    name: "routeserver_lost_keys_total",
    help: "Total number of sampled requests without a routing key in traces that had one, by the Service that lost it.",
    labels: ["namespace", "service"],
    seriesMax: 1_000,
  });

  register(registry: Registry, { feed, proxies, times, certificateExpiry }: MeasuredParts): void {
    for (const metric of [this.publishSeconds, this.streamsEnded, this.refused, this.lostKeys])
      registry.register(metric);
    registry.register(entriesGauge(feed));
    registry.register(
      new Gauge({
        name: "routeserver_streams",
        help: "Number of proxies with an open stream, by role.",
        labels: ["role"],
        read: (set) => {
          for (const [role, count] of proxies.roles()) set({ role }, count);
        },
      }),
    );
    registry.register(
      new Gauge({
        name: "routeserver_unconfirmed_seconds",
        help: "Age of the oldest version of a route table that a connected proxy has not confirmed, in seconds; 0 if there is none.",
        labels: ["namespace"],
        read: (set) => {
          for (const [namespace, seconds] of times.ages()) set({ namespace }, seconds);
        },
      }),
    );
    registry.register(
      new Gauge({
        name: "routeserver_certificate_expiry_timestamp_seconds",
        help: "Time at which the certificate of the stream port expires, in seconds since 1970; absent until one is served.",
        read: (set) => {
          const expiry = certificateExpiry();
          if (expiry !== undefined) set(expiry / 1_000);
        },
      }),
    );
  }

  ended(reason: EndReason | "Disconnected" | "Stalled"): void {
    this.streamsEnded.inc({ reason });
  }
}

function entriesGauge(feed: TableFeed): Gauge<"namespace"> {
  return new Gauge({
    name: "routetable_entries",
    help: "Number of entries of all route tables of a namespace.",
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
