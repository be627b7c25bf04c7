import type { OperatorBenchEntry, OperatorBenchOptions } from "./operators/arguments.ts";

/** An operator benchmark. `run` imports it on demand, because it loads the tools that start a real Kubernetes. */
export interface RunnableBench extends OperatorBenchEntry {
  readonly run: (options: OperatorBenchOptions) => Promise<void>;
}

/** Benchmarks of all operators. */
export const operatorBenches: readonly RunnableBench[] = [
  {
    name: "locust",
    title: "Locust operator",
    objects: "tests",
    count: 500,
    about: `  Creates many LocustTests at once and measures the time, CPU and requests until each has its objects and its status. Then
  completes all of them and measures the idle operator. Fails when a limit is exceeded.`,
    run: async (options) => (await import("./locust/run.ts")).runLocust(options),
  },
  {
    name: "tenant",
    title: "Tenant operator",
    objects: "tenants",
    count: 200,
    about: `  Creates many Tenants at once and measures the time, CPU and requests until each has all objects in its namespace. Then reports
  all pods as ready, triggers another reconcile of every tenant, and measures the idle operator. Fails when a limit is exceeded.`,
    run: async (options) => (await import("./tenant/run.ts")).runTenant(options),
  },
  {
    name: "chronik",
    title: "Chronik operator",
    objects: "clusters",
    count: 200,
    compared: ["chronik", "rabbitmq"],
    about: `  Runs the operator and RabbitMQ cluster-operator on one real control plane, where this benchmark reports all pods as ready. Creates
  clusters of both in turns and measures requests, time and CPU until a new cluster runs, requests of a reconcile without changes, memory
  with 51 and N clusters, and both operators at rest, at the same time (--idle 600 for ten minutes). Fails when a limit is exceeded.`,
    run: async (options) => (await import("./chronik/run.ts")).runChronik(options),
  },
  {
    name: "sandbox",
    title: "sandbox operator",
    objects: "sandboxes",
    count: 500,
    recorded: "docs/reference/sandbox-performance.md",
    about: `  Runs the operator on a real control plane, where this benchmark reports all pods as ready, and creates sandboxes that fork workloads of
  shops. Measures requests, time and CPU of a creation, of a change and of reconciles without a change, memory and CPU at rest, a restart,
  and the cost of a change in the compiler of routes. Fails when a limit is exceeded.`,
    run: async (options) => (await import("./sandbox/run.ts")).runSandbox(options),
  },
];
