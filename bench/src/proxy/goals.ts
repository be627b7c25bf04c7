import { type Goal, missed, ratio } from "../harness/goals.ts";
import type { MixedMemory } from "./mixed-load.ts";
import type { ByName, IdleMemory, Latencies } from "./scenarios.ts";

/** Names of the subjects with a part in the goals. */
export const names = {
  direct: "none",
  newer: "proxy, Node 24",
  older: "proxy, Node 20",
  many: "proxy, Node 24, 20,000 keys",
  haproxy: "HAProxy",
  nginx: "nginx",
  envoy: "Envoy",
} as const;

/** Everything that one run has measured. Parts that were left out are undefined. */
export interface ProxyResults {
  /** CPU time per request in microseconds. */
  readonly small?: ByName | undefined;
  readonly large?: ByName | undefined;
  readonly calls?: ByName | undefined;
  /** Small responses with one key and with 20,000. */
  readonly keys?: ByName | undefined;
  readonly smallLatency?: Latencies | undefined;
  readonly callLatency?: Latencies | undefined;
  /** Memory in MiB: after load with 20,000 keys, and with idle connections. */
  readonly keysMemory?: number | undefined;
  readonly idle?: IdleMemory | undefined;
  readonly mixed?: MixedMemory | undefined;
}

/** Returns the goals with their values. Capacity is requests per CPU time; ratios compare with a proxy of the same run. */
export function goalsOf(results: ProxyResults): readonly Goal[] {
  const { small, large, calls, keys, smallLatency, callLatency, keysMemory, idle, mixed } = results;
  const capacity = (cpu: ByName | undefined, other: string): number | undefined =>
    ratio(cpu?.[other], cpu?.[names.newer]);
  const added = (latencies: Latencies | undefined): number | undefined =>
    ratio(addedUs(latencies?.p50, names.newer), addedUs(latencies?.p50, names.haproxy));
  const growth = ratio(keys?.[names.many], keys?.[names.newer]);
  const mixedGrowth = ratio(mixed?.late, mixed?.early);
  const larger = { unit: "ratio", better: "larger" } as const;
  const smaller = { unit: "ratio", better: "smaller" } as const;
  const memory = { unit: "MiB", better: "smaller" } as const;
  return [
    {
      item: "HTTP/1.1 1 KiB, capacity to HAProxy",
      ...larger,
      must: 0.6,
      stretch: 0.85,
      value: capacity(small, names.haproxy),
    },
    { item: "HTTP/1.1 1 KiB, capacity to Envoy", ...larger, must: 2, value: capacity(small, names.envoy) },
    {
      item: "HTTP/1.1 added p50 at 1,000 rps, to HAProxy",
      ...smaller,
      must: 1.3,
      stretch: 1,
      value: added(smallLatency),
    },
    { item: "gRPC, capacity to HAProxy", ...larger, must: 0.6, stretch: 1, value: capacity(calls, names.haproxy) },
    { item: "gRPC, capacity to Envoy", ...larger, must: 1.3, value: capacity(calls, names.envoy) },
    { item: "gRPC added p50 at 1,000 rps, to HAProxy", ...smaller, must: 1.3, stretch: 1, value: added(callLatency) },
    {
      item: "1 MiB bodies, capacity to HAProxy",
      ...larger,
      must: 0.5,
      stretch: 0.8,
      value: capacity(large, names.haproxy),
    },
    {
      item: "cost of 20,000 keys instead of 1",
      unit: "%",
      better: "smaller",
      must: 5,
      stretch: 0,
      value: growth === undefined ? undefined : (growth - 1) * 100,
    },
    { item: "memory with 20,000 keys", ...memory, must: 90, stretch: 60, value: keysMemory },
    {
      item: `memory with ${(idle?.connections ?? 10_000).toLocaleString("en")} idle connections`,
      ...memory,
      value: idle?.mib,
    },
    { item: "memory per idle connection", unit: "KiB", better: "smaller", value: idle?.kibPerConnection },
    {
      item: `growth of memory in ${mixed?.minutes ?? 1} min of mixed load`,
      unit: "%",
      better: "smaller",
      must: 10,
      value: mixedGrowth === undefined ? undefined : (mixedGrowth - 1) * 100,
    },
  ];
}

/** Returns the latency that a subject adds to that without a proxy. */
export function addedUs(latencies: ByName | undefined, name: string): number | undefined {
  const [with_, without] = [latencies?.[name], latencies?.[names.direct]];
  return with_ === undefined || without === undefined ? undefined : with_ - without;
}

/** Returns the goals that must be kept and are not. */
export function missedGoals(results: ProxyResults): readonly Goal[] {
  return missed(goalsOf(results));
}
