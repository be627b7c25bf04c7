// Clusters of any size for the compiler of routes. Each sandbox has forks of two Services, each Service has forks of four sandboxes, and
// every ten sandboxes have a group.

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

/** Creates a cluster. The order of changes is scattered over all sandboxes. */
export function clusterOf(count: number, services: number): Cluster {
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
  const change = (): Compiled => {
    turn += 1;
    const known = sandboxes[(turn * 7919) % count];
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
