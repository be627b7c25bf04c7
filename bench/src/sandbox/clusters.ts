// Clusters of any size for the compiler of routes. Ten sandboxes share five Services and a group; larger clusters repeat that, so that a
// change touches as much in a large cluster as in a small one. Each sandbox has forks of two Services, and each Service of four sandboxes.

import { RouteCompiler, type SandboxView } from "@homeostat/sandbox-operator/internal";
import { sampleGroup, sampleSandbox, sampleService } from "./sample.ts";

/** The sizes that are compared. */
export const sandboxCounts = [10, 500, 5000] as const;

/** Numbers of results that one compilation changed. */
export interface Compiled {
  readonly tables: number;
  readonly sandboxes: number;
}

/** A compiler that knows a number of sandboxes. */
export interface Cluster {
  /** Changes the forks of the next sandbox and compiles. */
  readonly change: () => Compiled;
}

/** Sandboxes and Services of each repeated part. */
const part = { sandboxes: 10, services: 5 } as const;

/** Creates a cluster of repeated parts. Only the first `changed` sandboxes change. */
export function clusterOf(count: number, changed: number = count): Cluster {
  const forksOf = (n: number): string[] =>
    [n, n + 1].map((i) => `service-${Math.floor(n / part.sandboxes) * part.services + (i % part.services)}`);
  return createCluster(count, { changed, forksOf });
}

/** Creates a cluster in which all sandboxes fork one Service. */
export function crowdedCluster(count: number): Cluster {
  return createCluster(count, { changed: count, forksOf: () => ["service-0"] });
}

interface ClusterOptions {
  readonly changed: number;
  readonly forksOf: (n: number) => readonly string[];
}

/** Creates a cluster. The order of changes is scattered. */
function createCluster(count: number, { changed, forksOf }: ClusterOptions): Cluster {
  const sandboxes = Array.from({ length: count }, (_, n) => sampleSandbox(n, forksOf(n)));
  const names = new Set(sandboxes.flatMap((_, n) => forksOf(n)));
  const compiler = new RouteCompiler();
  for (const name of names) compiler.apply({ kind: "Service", key: `shop/${name}`, view: sampleService(name) });
  for (let n = 0; n < count / 10; n += 1) {
    const view = sampleGroup(n);
    compiler.apply({ kind: "RouteGroup", key: `shop/${view.name}`, view });
  }
  for (const view of sandboxes) compiler.apply({ kind: "Sandbox", key: `shop/${view.name}`, view });
  compiler.compile();
  let turn = 0;
  const change = (): Compiled => {
    turn += 1;
    const known = sandboxes[(turn * 7919) % changed];
    if (known === undefined) throw new Error("there are no sandboxes");
    const view = withTargets(known, `turn-${turn}`);
    compiler.apply({ kind: "Sandbox", key: `shop/${view.name}`, view });
    const compiled = compiler.compile();
    return { tables: compiled.tables.length, sandboxes: compiled.sandboxes.length };
  };
  return { change };
}

/** Returns a sandbox whose forks have other Services. */
function withTargets(sandbox: SandboxView, suffix: string): SandboxView {
  return {
    ...sandbox,
    entries: sandbox.entries.map((entry) => ({
      ...entry,
      overrides: entry.overrides.map((override) => ({ ...override, targetService: `${sandbox.name}-${suffix}` })),
    })),
  };
}
