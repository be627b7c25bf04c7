import { goalTable } from "../harness/goals.ts";
import { addedUs, goalsOf, names, type ProxyResults } from "./goals.ts";
import type { ByName, Latencies } from "./scenarios.ts";

/** Returns the tables of a run, as Markdown. */
export function formatResults(results: ProxyResults): string {
  const { small, large, calls, keys, smallLatency, callLatency, mixed } = results;
  const parts = [
    goalTable(goalsOf(results)),
    cpuTable("HTTP/1.1, 1 KiB, 16 connections", small),
    cpuTable("gRPC calls, 4 connections with 16 calls each", calls),
    cpuTable("HTTP/1.1, 1 MiB, 4 connections", large),
    cpuTable("HTTP/1.1, 1 KiB, by number of keys", keys),
    latencyTable("HTTP/1.1, 1,000 requests per second", smallLatency),
    latencyTable("gRPC, 1,000 calls per second", callLatency),
    ...(mixed === undefined
      ? []
      : [
          `Mixed load for ${mixed.minutes} min: ${mixed.early.toFixed(1)} MiB in the second quarter, ` +
            `${mixed.late.toFixed(1)} MiB in the last, at most ${mixed.max.toFixed(1)} MiB.`,
        ]),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function cpuTable(title: string, cpu: ByName | undefined): string {
  if (cpu === undefined) return "";
  const haproxy = cpu[names.haproxy];
  const rows = Object.entries(cpu).map(
    ([name, us]) => `| ${name} | ${us.toFixed(1)} µs | ${haproxy === undefined ? "" : (haproxy / us).toFixed(2)} |`,
  );
  return [`| ${title} | CPU per request | capacity, HAProxy = 1 |`, "| --- | ---: | ---: |", ...rows].join("\n");
}

function latencyTable(title: string, latencies: Latencies | undefined): string {
  if (latencies === undefined) return "";
  const { p50, p99 } = latencies;
  const us = (value: number | undefined): string => (value === undefined ? "" : `${value.toFixed(0)} µs`);
  const rows = Object.keys(p50).map((name) => {
    const isDirect = name === names.direct;
    const added = [p50, p99].map((all) => (isDirect ? "" : us(addedUs(all, name))));
    return `| ${name} | ${us(p50[name])} | ${added[0]} | ${us(p99[name])} | ${added[1]} |`;
  });
  return [`| ${title} | p50 | added | p99 | added |`, "| --- | ---: | ---: | ---: | ---: |", ...rows].join("\n");
}
