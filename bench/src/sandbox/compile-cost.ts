// The CPU time of a change of one sandbox, by the number of sandboxes.

import { median } from "../harness/measure.ts";
import { type Cluster, clusterOf, sandboxCounts } from "./clusters.ts";

const rounds = 9;

/** Changes per round: long enough to measure CPU time. */
const changesPerRound = 1_000;

/** The cost of a change of one sandbox. */
export interface CompileCost {
  readonly sandboxes: number;
  /** The most tables that a change recompiled with another result. Each sandbox has forks of two Services. */
  readonly tablesMax: number;
  readonly cpuMicroseconds: number;
}

/** Measures changes in clusters of several sizes, in turns, and returns the medians. */
export function measureCompileCosts(): readonly CompileCost[] {
  const clusters = sandboxCounts.map((count) => ({
    count,
    cluster: clusterOf(count, count / 2),
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
  return clusters.map(({ count, times, tablesMax }) => ({
    sandboxes: count,
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
