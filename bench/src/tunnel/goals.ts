import { type Goal, ratio } from "../harness/goals.ts";
import type { AttachedTunnels } from "./attached.ts";
import type { ByName, SmallRequests, StalledRatios, Transfer } from "./measure.ts";

/** Names of the tunnels with a part in the goals. */
export const names = {
  newer: "tunnel, Node 24",
  older: "tunnel, Node 20",
  yamux: "yamux over TLS, Go",
  wideYamux: "yamux over TLS, Go, windows of 16 MiB",
  chisel: "chisel",
} as const;

/** Transfers by direction and number of streams. A response goes from the machine to the cluster. */
export const transferKinds = [
  { key: "response1", title: "Responses, 1 stream", direction: "response", streams: 1 },
  { key: "response100", title: "Responses, 100 streams", direction: "response", streams: 100 },
  { key: "request1", title: "Requests, 1 stream", direction: "request", streams: 1 },
  { key: "request100", title: "Requests, 100 streams", direction: "request", streams: 100 },
] as const;

/** Everything that one run has measured. Parts that were left out are undefined. */
export interface TunnelResults {
  readonly transfers?: Readonly<Record<(typeof transferKinds)[number]["key"], Transfer>> | undefined;
  /** One stream with a round trip of 40 ms. */
  readonly far?: Transfer | undefined;
  readonly small?: SmallRequests | undefined;
  readonly stalled?: StalledRatios | undefined;
  readonly attached?: AttachedTunnels | undefined;
}

/** Returns the goals with their values. Ratios compare with a tunnel of the same run. */
export function goalsOf({ transfers, far, small, stalled, attached }: TunnelResults): readonly Goal[] {
  const to = (values: ByName | undefined, other: string): number | undefined =>
    ratio(values?.[names.newer], values?.[other]);
  const smaller = { unit: "ratio", better: "smaller" } as const;
  return [
    ...transferKinds.flatMap(({ key, title }): readonly Goal[] => {
      const cpu = transfers?.[key].cpuPerGb;
      const item = `${title}, CPU per GB to`;
      return [
        { item: `${item} yamux`, ...smaller, must: 1.2, stretch: 0.95, value: to(cpu, names.yamux) },
        { item: `${item} chisel`, ...smaller, must: 0.5, value: to(cpu, names.chisel) },
      ];
    }),
    {
      item: "1 stream with a round trip of 40 ms",
      unit: "MB/s",
      better: "larger",
      must: 60,
      stretch: 150,
      value: far?.speed[names.newer],
    },
    { item: "small request, p50 to yamux", ...smaller, must: 1.2, stretch: 1, value: to(small?.p50, names.yamux) },
    {
      item: "99 streams beside a stalled one, to their speed without",
      unit: "ratio",
      better: "larger",
      must: 0.9,
      stretch: 0.97,
      value: stalled?.speed[names.newer],
    },
    {
      item: `memory of the server with ${(attached?.tunnels ?? 1_000).toLocaleString("en")} attached machines`,
      unit: "MiB",
      better: "smaller",
      must: 300e6 / 1_048_576,
      value: attached?.allMib,
    },
    {
      item: "memory of the server per idle tunnel",
      unit: "KiB",
      better: "smaller",
      value: attached === undefined ? undefined : ((attached.allMib - attached.emptyMib) * 1_024) / attached.tunnels,
    },
    {
      item: "time from the start of sandboxctl to the first response",
      unit: "ms",
      better: "smaller",
      must: 1_000,
      value: attached?.attachMs,
    },
  ];
}
