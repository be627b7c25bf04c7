import type { DeepReadonly } from "homeostat";
import type { Problem } from "@homeostat/schema";
import type { ChronikCluster, ClusterSpec } from "../api/chronik-cluster.ts";

/** A cluster as rules read it: with all defaults, and of the types and sizes of the schema. */
export type RuledCluster = DeepReadonly<ChronikCluster>;

export type RuledSpec = DeepReadonly<ClusterSpec>;

/** A named rule beyond types and sizes. */
export interface Rule {
  /** The name in documentation and tests: `TlsIncomplete`. */
  readonly name: string;
  check(this: void, cluster: RuledCluster): Iterable<Problem>;
}

/** Returns a rule that reads only the spec. */
export function specRule(name: string, check: (spec: RuledSpec) => Iterable<Problem>): Rule {
  return { name, check: ({ spec }) => check(spec) };
}
