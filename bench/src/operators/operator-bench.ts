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
import type { Phase } from "./phase.ts";

// Disables limits that protect a shared server: otherwise the limits would be measured.
const apiserverFlags = [
  "--enable-priority-and-fairness=false",
  "--max-requests-inflight=3000",
  "--max-mutating-requests-inflight=1000",
];

/** Time for an operator to become idle: to flush aggregated events and release memory. */
const settleMs = 20_000;

/** Definition of an operator benchmark. */
export interface OperatorBench<N> {
  /** Folder of the operator in `operators/`, and its name on the command line. */
  readonly name: string;
  /** Module that runs the operator. */
  readonly program: URL;
  /** Namespace of the lease, created by `prepare`. */
  readonly namespace: string;
  prepare(api: RawApi, client: Client, signal: AbortSignal): Promise<void>;
  measure(driver: OperatorDriver, options: OperatorBenchOptions): Promise<N>;
  format(numbers: N): string;
  /** Returns a message for each exceeded limit. */
  exceededLimits(numbers: N): readonly string[];
}

/** A running operator on a real API server, with functions to drive and measure it. */
export interface OperatorDriver {
  readonly api: RawApi;
  readonly client: Client;
  readonly operator: OperatorProcess;
  readonly signal: AbortSignal;
  /** Runs a phase of the benchmark and measures the operator during it. */
  readonly measurePhase: (what: string, work: () => Promise<unknown>) => Promise<Phase>;
  /** Measures the idle operator. */
  readonly idle: () => Promise<Phase>;
}

/** Measures an operator, prints a table, writes the results, and fails when a limit is exceeded. */
export async function runOperatorBench<N extends object>(
  bench: OperatorBench<N>,
  options: OperatorBenchOptions,
): Promise<void> {
  if (process.platform !== "linux") throw new Error("This benchmark requires Linux: it reads memory from /proc.");
  await interruptible(async (context) => {
    const numbers = await runOnServer(bench, options, context);
    const date = new Date().toISOString();
    const path = options.json ?? join(resultsFolder, `${bench.name}-${date.slice(0, 19).replaceAll(":", "-")}.json`);
    mkdirSync(dirname(path), { recursive: true });
    const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memoryBytes: totalmem() };
    writeFileSync(path, `${JSON.stringify({ date, machine, options, ...numbers }, null, 2)}\n`);
    console.log(`\n${bench.format(numbers)}\n`);
    context.report(`Results written to ${path}`);
    const over = bench.exceededLimits(numbers);
    if (over.length === 0) return;
    for (const line of over) console.error(`LIMIT EXCEEDED: ${line}`);
    process.exitCode = 1;
  });
}

async function runOnServer<N>(
  bench: OperatorBench<N>,
  options: OperatorBenchOptions,
  context: BenchContext,
): Promise<N> {
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
    const measurePhase = phaseRunner(operator, context);
    const idle = async (): Promise<Phase> => {
      await pause(settleMs, signal);
      await operator.requests();
      return measurePhase("idle", () => pause(options.idleMs, signal));
    };
    const numbers = await bench.measure({ api, client, operator, signal, measurePhase, idle }, options);
    if (options.isProfiled) await writeHeap(operator, { folder, name: bench.name, report });
    client.close();
    return numbers;
  } finally {
    await cluster.stop();
  }
}

function phaseRunner(operator: OperatorProcess, { signal, report }: BenchContext): OperatorDriver["measurePhase"] {
  return async (what, work) => {
    const [begun, before] = [performance.now(), operator.usage()];
    await work();
    const [seconds, after] = [(performance.now() - begun) / 1000, operator.usage()];
    // Requests still in flight count as requests of the phase, but not in its duration.
    await pause(3_000, signal);
    const requests = await operator.requests();
    const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
    report(`${what}: ${seconds.toFixed(1)} s`);
    return { what, seconds, cpuSeconds, rssBytes: operator.usage().rssBytes, requests };
  };
}

/** Writes a summary of the heap; the snapshot itself is too large to keep. */
export async function writeHeap(
  operator: { heap(path: string): Promise<object> },
  to: { readonly folder: string; readonly name: string; readonly report: BenchContext["report"] },
): Promise<void> {
  const path = join(to.folder, "operator.heapsnapshot");
  const memory = await operator.heap(path);
  const target = join(resultsFolder, `${to.name}-heap.txt`);
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(target, `${JSON.stringify(memory)}\n${summariseHeap(readFileSync(path, "utf8"))}`);
  to.report(`Heap summary written to ${target}`);
}
