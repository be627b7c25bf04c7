import { Counter, Gauge, Histogram, type Registry } from "@homeostat/runtime";

/** Numbers that gauges read when they are scraped. */
export interface MeasuredTunnels {
  /** Attached machines and open streams by namespace. */
  counts(this: void): ReadonlyMap<string, { readonly connections: number; readonly streams: number }>;
  /** Returns the expiry of the serving certificate, in milliseconds since 1970; undefined until one is served. */
  certificateExpiry(this: void): number | undefined;
}

/** The metrics of one replica. */
export class TunnelMetrics {
  readonly bytes: Counter<"direction"> = new Counter({
    name: "tunnel_bytes_total",
    help: "Bytes of ended connections: in towards machines, out from machines, per direction.",
    labels: ["direction"],
  });
  readonly rttSeconds: Histogram = new Histogram({
    name: "tunnel_rtt_seconds",
    help: "Round trip time to attached machines, in seconds, measured once per minute and machine.",
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  });
  readonly reconnects: Counter = new Counter({
    name: "tunnel_reconnects_total",
    help: "Connections of machines that continued an earlier tunnel.",
  });
  readonly closed: Counter<"reason"> = new Counter({
    name: "tunnel_closed_total",
    help: "Tunnels that have ended, by reason.",
    labels: ["reason"],
  });
  readonly refused: Counter<"reason"> = new Counter({
    name: "tunnel_refused_total",
    help: "Attempts to attach that were refused, by reason.",
    labels: ["reason"],
  });
  readonly outboundRefused: Counter<"code"> = new Counter({
    name: "tunnel_outbound_refused_total",
    help: "Connections of machines into the cluster that were refused, by code.",
    labels: ["code"],
  });

  register(registry: Registry, { counts, certificateExpiry }: MeasuredTunnels): void {
    for (const metric of [
      this.bytes,
      this.rttSeconds,
      this.reconnects,
      this.closed,
      this.refused,
      this.outboundRefused,
    ])
      registry.register(metric);
    registry.register(
      new Gauge({
        name: "tunnel_connections",
        help: "Machines that are attached to this replica, by namespace.",
        labels: ["namespace"],
        read: (set) => {
          for (const [namespace, { connections }] of counts()) set({ namespace }, connections);
        },
      }),
    );
    registry.register(
      new Gauge({
        name: "tunnel_streams",
        help: "Open streams of machines that are attached to this replica, by namespace.",
        labels: ["namespace"],
        read: (set) => {
          for (const [namespace, { streams }] of counts()) set({ namespace }, streams);
        },
      }),
    );
    registry.register(
      new Gauge({
        name: "tunnel_certificate_expiry_timestamp_seconds",
        help: "Time at which the certificate of the tunnel port expires, in seconds since 1970; absent until one is served.",
        read: (set) => {
          const expiry = certificateExpiry();
          if (expiry !== undefined) set(expiry / 1_000);
        },
      }),
    );
  }
}
