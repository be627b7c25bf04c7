import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@homeostat/client";
import { realCluster } from "@homeostat/kube";
import type { LocustTest } from "@homeostat/locust-operator";
import { interruptible, type Surroundings } from "../harness/interruptible.ts";
import { bundleProgram, nodeFor } from "../peers/builds.ts";
import { summariseHeap } from "../peers/heap-summary.ts";
import { RawApi } from "../peers/raw-api.ts";
import { resultsFolder } from "../peers/results.ts";
import { kubeconfigOf } from "../peers/server.ts";
import { pause } from "../peers/time.ts";
import { type LocustOptions, readLocustArguments } from "./arguments.ts";
import { allSay, completeJobs, countObjects, createTests, namespace, prepare, startJobs } from "./load-tests.ts";
import { OperatorProcess } from "./operator-process.ts";
import { excesses, formatNumbers, type LocustNumbers, type Stretch } from "./report.ts";

/** Measures the Locust operator with many tests, prints a table, and fails when something is over its limit. */
export async function runLocust(words: readonly string[]): Promise<void> {
  const options = readLocustArguments(words);
  if (process.platform !== "linux") throw new Error("Measured on Linux only: memory comes from /proc.");
  await interruptible(async (surroundings) => {
    const numbers = await measure(options, surroundings);
    const date = new Date().toISOString();
    const path = options.json ?? join(resultsFolder, `locust-${date.slice(0, 19).replaceAll(":", "-")}.json`);
    mkdirSync(dirname(path), { recursive: true });
    const machine = { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memoryBytes: totalmem() };
    writeFileSync(path, `${JSON.stringify({ date, machine, options, ...numbers }, null, 2)}\n`);
    console.log(`\n${formatNumbers(numbers)}\n`);
    surroundings.report(`numbers: ${path}`);
    const over = excesses(numbers);
    if (over.length === 0) return;
    for (const line of over) console.error(`OVER: ${line}`);
    process.exitCode = 1;
  });
}

// Limits that protect a shared server would be measured instead of the operator.
const apiserverFlags = [
  "--enable-priority-and-fairness=false",
  "--max-requests-inflight=3000",
  "--max-mutating-requests-inflight=1000",
];

/** How long an operator may take to come to rest: what it combines of events, and the memory that it gives back. */
const settleMs = 20_000;

async function measure(
  { tests, idleMs, isProfiled }: LocustOptions,
  surroundings: Surroundings,
): Promise<LocustNumbers> {
  const { signal, report } = surroundings;
  const { HOMEOSTAT_E2E: _, HOMEOSTAT_E2E_KUBECONFIG: __, ...env } = process.env;
  const node = await nodeFor({ node: "newer" }, surroundings);
  const program = await bundleProgram(new URL("./program.js", import.meta.url), "operator.mjs");
  const cluster = await realCluster({ need: "apiserver", apiserverFlags, env, signal, report: () => undefined });
  try {
    using api = new RawApi(cluster);
    const folder = dirname(cluster.kubeconfigPath);
    const kubeconfig = join(folder, "kubeconfig.json");
    writeFileSync(kubeconfig, kubeconfigOf(cluster));
    const client = await Client.fromKubeconfig({ file: kubeconfig });
    await prepare(api, client, signal);
    await using operator = new OperatorProcess({
      node: node.path,
      program,
      kubeconfig,
      namespace,
      log: join(folder, "operator.log"),
    });
    await operator.ready();
    await pause(3_000, signal);
    await operator.requests();
    const stretch = async (what: string, work: () => Promise<unknown>): Promise<Stretch> => {
      const [begun, before] = [performance.now(), operator.usage()];
      await work();
      const [seconds, after] = [(performance.now() - begun) / 1000, operator.usage()];
      // What is still under way belongs to what was done, but not to how long it took.
      await pause(3_000, signal);
      const requests = await operator.requests();
      const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
      const done = { what, seconds, cpuSeconds, rssBytes: operator.usage().rssBytes, requests };
      report(`${what}: ${seconds.toFixed(1)} s`);
      return done;
    };
    const say = (isSaid: (test: LocustTest) => boolean): Promise<unknown> =>
      allSay(client, { count: tests, isSaid, signal });

    const started = await stretch("created at once, until all run", async () => {
      await Promise.all([
        createTests(api, tests, signal),
        say(({ status }) => status?.phase === "Running" && status.masterJobUID !== undefined),
      ]);
    });
    const { services, jobs } = await countObjects(api, signal);
    if (services !== tests || jobs !== 2 * tests) throw new Error(`there are ${services} Services and ${jobs} Jobs`);
    const connected = await stretch("pods run, until all say so", async () => {
      await Promise.all([startJobs(api, tests, signal), say(({ status }) => status?.connectedWorkers === 2)]);
    });
    const ended = await stretch("Jobs complete, until all say so", async () => {
      await Promise.all([completeJobs(api, tests, signal), say(({ status }) => status?.phase === "Succeeded")]);
    });
    await pause(settleMs, signal);
    await operator.requests();
    const idle = await stretch("nothing to do", () => pause(idleMs, signal));
    const { peakRssBytes } = operator.usage();
    if (isProfiled) await writeHeap(operator, join(folder, "operator.heapsnapshot"), report);
    client.close();
    return { tests, started, connected, ended, idle, peakRssBytes };
  } finally {
    await cluster.stop();
  }
}

/** Leaves a summary of the heap: the snapshot itself is too large to keep. */
async function writeHeap(operator: OperatorProcess, path: string, report: Surroundings["report"]): Promise<void> {
  const memory = await operator.heap(path);
  const target = join(resultsFolder, "locust-heap.txt");
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(target, `${JSON.stringify(memory)}\n${summariseHeap(readFileSync(path, "utf8"))}`);
  report(`heap: ${target}`);
}
