// Checks that a change of one sandbox costs the same whatever the number of sandboxes.

import { compileAll } from "@homeostat/sandbox-operator/internal";
import type { BenchCases } from "../harness/case.ts";
import { clusterOf, crowdedCluster, sandboxCounts } from "./clusters.ts";
import { sampleGroup, sampleSandbox, sampleService } from "./sample.ts";

const [small, medium, large] = sandboxCounts.map((count) => clusterOf(count).change);
if (large === undefined || medium === undefined || small === undefined) throw new Error("a cluster is missing");
const crowded = crowdedCluster(2000);

const sandboxes = Array.from({ length: 5000 }, (_, n) => sampleSandbox(n, [`service-${n % 2500}`]));
const groups = Array.from({ length: 500 }, (_, n) => sampleGroup(n));
const services = Array.from({ length: 2500 }, (_, n) => sampleService(`service-${n}`));

export const cases: BenchCases = [
  {
    name: "change a sandbox",
    subjects: { "5,000 sandboxes": large, "500 sandboxes": medium, "10 sandboxes": small },
    ratioMax: 2,
  },
  { name: "change one of 2,000 sandboxes of one Service", subjects: { RouteCompiler: crowded.change } },
  {
    name: "compile all routes of 5,000 sandboxes",
    subjects: { compileAll: () => compileAll({ sandboxes, groups, workloads: [], services }).tables.size },
  },
];
