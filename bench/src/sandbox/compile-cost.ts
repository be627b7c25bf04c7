// The CPU time of a change of one sandbox, by the number of sandboxes.

import { median } from "../harness/measure.ts";
import { type Cluster, clusterOf, sandboxCounts } from "./clusters.ts";

const rounds = 9;

/** Changes per round: long enough to measure CPU time. */
const changesPerRound = 1_000;

/** The cost of a change of one sandbox. */
export interface CompileCost {
  readonly sandboxes: number;
  /** Sandboxes that change, in turns. */
  readonly changed: number;
  /** The most tables that a change recompiled with another result. Each sandbox has forks of two Services. */
  readonly tablesMax: number;
  readonly cpuMicroseconds: number;
}

/**
 * Measures changes in clusters of several sizes, in turns, and returns the medians. Changes of all sandboxes of a large cluster also measure the
 * caches of the processor, which hold a small cluster and not a large one. Changes of the same ten sandboxes in both measure the compiler alone.
 */
export function measureCompileCosts(): readonly CompileCost[] {
  const [least] = sandboxCounts;
  const sizes = [
    ...sandboxCounts.map((count) => [count, count] as const),
    [sandboxCounts.at(-1) ?? least, least] as const,
  ];
  const clusters = sizes.map(([count, changed]) => ({
    count,
    changed,
    cluster: clusterOf(count, changed),
    times: [] as number[],
    tablesMax: 0,
  }));
  for (let round = -1; round < rounds; round += 1) {
    for (const each of clusters) {
      const { cpuMicroseconds, tablesMax } = changes(each.cluster);
      each.tablesMax = Math.max(each.tablesMax, tablesMax);
      // The first round compiles the code of the compiler.
      if (round >= 0) each.times.push(cpuMicroseconds / changesPerRound);
    }
  }
  return clusters.map(({ count, changed, times, tablesMax }) => ({
    sandboxes: count,
    changed,
    tablesMax,
    cpuMicroseconds: Number(median(times).toFixed(1)),
  }));
}

function changes({ change }: Cluster): { readonly cpuMicroseconds: number; readonly tablesMax: number } {
  let tablesMax = 0;
  const before = process.cpuUsage();
  for (let n = 0; n < changesPerRound; n += 1) tablesMax = Math.max(tablesMax, change().tables);
  const { user, system } = process.cpuUsage(before);
  return { cpuMicroseconds: user + system, tablesMax };
}
