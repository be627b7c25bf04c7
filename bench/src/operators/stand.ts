import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@homeostat/client";
import { realCluster } from "@homeostat/kube";
import { interruptible, type BenchContext } from "../harness/interruptible.ts";
import { bundleProgram, nodeFor } from "../peers/builds.ts";
import { summariseHeap } from "../peers/heap-summary.ts";
import { RawApi } from "../peers/raw-api.ts";
import { resultsFolder } from "../peers/results.ts";
import { kubeconfigOf } from "../peers/server.ts";
import { pause } from "../peers/time.ts";
import type { OperatorBenchOptions } from "./arguments.ts";
import { OperatorProcess } from "./operator-process.ts";
import type { Stretch } from "./stretch.ts";

// Limits that protect a shared server would be measured instead of the operator.
const apiserverFlags = [
  "--enable-priority-and-fairness=false",
  "--max-requests-inflight=3000",
  "--max-mutating-requests-inflight=1000",
];

/** How long an operator may take to come to rest: what it combines of events, and the memory that it gives back. */
const settleMs = 20_000;

/** How one operator is measured. */
export interface OperatorBench<N> {
  /** The operator's folder in `operators/`, and the word on the command line. */
  readonly name: string;
  /** The module that runs the operator. */
  readonly program: URL;
  /** Where the lease is; there is such a namespace after `prepare`. */
  readonly namespace: string;
  prepare(api: RawApi, client: Client, signal: AbortSignal): Promise<void>;
  measure(stand: Stand, options: OperatorBenchOptions): Promise<N>;
  format(numbers: N): string;
  /** What is over its limit, in words. */
  excesses(numbers: N): readonly string[];
}

/** An operator on a real API server, and the means to drive and to watch it. */
export interface Stand {
  readonly api: RawApi;
  readonly client: Client;
  readonly operator: OperatorProcess;
  readonly signal: AbortSignal;
  /** Does something, and says what that took the operator. */
  readonly stretch: (what: string, work: () => Promise<unknown>) => Promise<Stretch>;
  /** Watches an operator that has come to rest. */
  readonly idle: () => Promise<Stretch>;
}

/** Measures an operator, prints a table, keeps the numbers, and fails when something is over its limit. */
export async function runOperatorBench<N extends object>(
  bench: OperatorBench<N>,
  options: OperatorBenchOptions,
): Promise<void> {
  if (process.platform !== "linux") throw new Error("Measured on Linux only: memory comes from /proc.");
  await interruptible(async (context) => {
    const numbers = await onStand(bench, options, context);
    const date = new Date().toISOString();
    const path = options.json ?? join(resultsFolder, `${bench.name}-${date.slice(0, 19).replaceAll(":", "-")}.json`);
    mkdirSync(dirname(path), { recursive: true });
    const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memoryBytes: totalmem() };
    writeFileSync(path, `${JSON.stringify({ date, machine, options, ...numbers }, null, 2)}\n`);
    console.log(`\n${bench.format(numbers)}\n`);
    context.report(`numbers: ${path}`);
    const over = bench.excesses(numbers);
    if (over.length === 0) return;
    for (const line of over) console.error(`OVER: ${line}`);
    process.exitCode = 1;
  });
}

async function onStand<N>(bench: OperatorBench<N>, options: OperatorBenchOptions, context: BenchContext): Promise<N> {
  const { signal, report } = context;
  const { HOMEOSTAT_E2E: _, HOMEOSTAT_E2E_KUBECONFIG: __, ...env } = process.env;
  const node = await nodeFor({ node: "newer" }, context);
  const program = await bundleProgram(bench.program, `${bench.name}-operator.mjs`);
  const cluster = await realCluster({ need: "apiserver", apiserverFlags, env, signal, report: () => undefined });
  try {
    using api = new RawApi(cluster);
    const folder = dirname(cluster.kubeconfigPath);
    const kubeconfig = join(folder, "kubeconfig.json");
    writeFileSync(kubeconfig, kubeconfigOf(cluster));
    const client = await Client.fromKubeconfig({ file: kubeconfig });
    await bench.prepare(api, client, signal);
    await using operator = new OperatorProcess({
      operator: bench.name,
      node: node.path,
      program,
      kubeconfig,
      namespace: bench.namespace,
      log: join(folder, "operator.log"),
    });
    await operator.ready();
    await pause(3_000, signal);
    await operator.requests();
    const stretch = stretchOf(operator, context);
    const idle = async (): Promise<Stretch> => {
      await pause(settleMs, signal);
      await operator.requests();
      return stretch("nothing to do", () => pause(options.idleMs, signal));
    };
    const numbers = await bench.measure({ api, client, operator, signal, stretch, idle }, options);
    if (options.isProfiled) await writeHeap(operator, { folder, name: bench.name, report });
    client.close();
    return numbers;
  } finally {
    await cluster.stop();
  }
}

function stretchOf(operator: OperatorProcess, { signal, report }: BenchContext): Stand["stretch"] {
  return async (what, work) => {
    const [begun, before] = [performance.now(), operator.usage()];
    await work();
    const [seconds, after] = [(performance.now() - begun) / 1000, operator.usage()];
    // What is still under way belongs to what was done, but not to how long it took.
    await pause(3_000, signal);
    const requests = await operator.requests();
    const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
    report(`${what}: ${seconds.toFixed(1)} s`);
    return { what, seconds, cpuSeconds, rssBytes: operator.usage().rssBytes, requests };
  };
}

/** Leaves a summary of the heap: the snapshot itself is too large to keep. */
async function writeHeap(
  operator: OperatorProcess,
  to: { readonly folder: string; readonly name: string; readonly report: BenchContext["report"] },
): Promise<void> {
  const path = join(to.folder, "operator.heapsnapshot");
  const memory = await operator.heap(path);
  const target = join(resultsFolder, `${to.name}-heap.txt`);
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(target, `${JSON.stringify(memory)}\n${summariseHeap(readFileSync(path, "utf8"))}`);
  to.report(`heap: ${target}`);
}
