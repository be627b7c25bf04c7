// Checks that a change of one sandbox costs the same whatever the number of sandboxes. Each has forks of two Services, each Service has
// forks of four sandboxes, and every ten sandboxes have a group.

import { compileAll, RouteCompiler } from "@homeostat/sandbox-operator/internal";
import type { BenchCases } from "../harness/case.ts";
import { sampleGroup, sampleSandbox, sampleService } from "./sample.ts";

interface Cluster {
  readonly compiler: RouteCompiler;
  /** Changes the next of 1,000 sandboxes, or of all if there are fewer, and compiles. */
  readonly change: () => number;
}

function clusterOf(count: number, services: number): Cluster {
  const names = Array.from({ length: services }, (_, i) => `service-${i}`);
  const forksOf = (n: number): string[] => [...new Set([n % services, (n + 1) % services])].map((i) => names[i] ?? "");
  const sandboxes = Array.from({ length: count }, (_, n) => sampleSandbox(n, forksOf(n)));
  const compiler = new RouteCompiler();
  for (const name of names) compiler.apply({ kind: "Service", key: `shop/${name}`, view: sampleService(name) });
  for (let n = 0; n < count / 10; n += 1) {
    const view = sampleGroup(n);
    compiler.apply({ kind: "RouteGroup", key: `shop/${view.name}`, view });
  }
  for (const view of sandboxes) compiler.apply({ kind: "Sandbox", key: `shop/${view.name}`, view });
  compiler.compile();
  let turn = 0;
  const change = (): number => {
    turn += 1;
    const known = sandboxes[(turn * 7919) % count];
    if (known === undefined) throw new Error("there are no sandboxes");
    const view = { ...known, priority: turn % 1000 };
    compiler.apply({ kind: "Sandbox", key: `shop/${view.name}`, view });
    return compiler.compile().sandboxes.length;
  };
  return { compiler, change };
}

const spread = [5000, 500, 10].map((count) => clusterOf(count, count / 2));
const [large, medium, small] = spread.map(({ change }) => change);
if (large === undefined || medium === undefined || small === undefined) throw new Error("a cluster is missing");
const crowded = clusterOf(2000, 1);

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
