import type { OperatorBenchEntry, OperatorBenchOptions } from "./arguments.ts";

/** The bench of one operator. `run` loads it: it brings the tools that start a real Kubernetes. */
export interface RunnableBench extends OperatorBenchEntry {
  readonly run: (options: OperatorBenchOptions) => Promise<void>;
}

/** The benches of all operators. */
export const operatorBenches: readonly RunnableBench[] = [
  {
    name: "locust",
    title: "Locust operator",
    objects: "tests",
    count: 500,
    about: `  Makes many LocustTests at once; says how long until each has its objects and its status, and what that took. Then lets all
  of them end, and looks for a while at an operator that has nothing left to do. Fails when something is over its limit.`,
    run: async (options) => (await import("../locust/run.ts")).runLocust(options),
  },
  {
    name: "tenant",
    title: "Tenant operator",
    objects: "tenants",
    count: 200,
    about: `  Makes many Tenants at once; says how long until each has everything in its namespace, and what that took. Then says of all pods
  that they are ready, asks for another look at every tenant, and looks for a while at an operator that has nothing left to do.
  Fails when something is over its limit.`,
    run: async (options) => (await import("../tenant/run.ts")).runTenant(options),
  },
];
