import { LocustTest } from "@homeostat/locust-operator";
import { waitForAll } from "../operators/wait-for-all.ts";
import type { OperatorBenchOptions } from "../operators/arguments.ts";
import { type OperatorBench, runOperatorBench, type OperatorDriver } from "../operators/operator-bench.ts";
import { completeJobs, countObjects, createTests, namespace, prepare, startJobs } from "./load-tests.ts";
import { exceededLimits, formatNumbers, type LocustNumbers } from "./report.ts";

const bench: OperatorBench<LocustNumbers> = {
  name: "locust",
  program: new URL("./program.js", import.meta.url),
  namespace,
  prepare,
  measure,
  format: formatNumbers,
  exceededLimits,
};

/** Measures the Locust operator. */
export async function runLocust(options: OperatorBenchOptions): Promise<void> {
  await runOperatorBench(bench, options);
}

async function measure(driver: OperatorDriver, { count: tests }: OperatorBenchOptions): Promise<LocustNumbers> {
  const { api, client, operator, signal, measurePhase, idle } = driver;
  const waitForAllTests = (matches: (test: LocustTest) => boolean): Promise<void> =>
    waitForAll(client, LocustTest, { count: tests, matches, signal });

  const started = await measurePhase("create all, until all are Running", async () => {
    await Promise.all([
      createTests(api, tests, signal),
      waitForAllTests(({ status }) => status?.phase === "Running" && status.masterJobUID !== undefined),
    ]);
  });
  const { services, jobs } = await countObjects(api, signal);
  if (services !== tests || jobs !== 2 * tests) throw new Error(`found ${services} Services and ${jobs} Jobs`);
  const connected = await measurePhase("pods running, until all statuses are updated", async () => {
    await Promise.all([startJobs(api, tests, signal), waitForAllTests(({ status }) => status?.connectedWorkers === 2)]);
  });
  const ended = await measurePhase("Jobs complete, until all are Succeeded", async () => {
    await Promise.all([
      completeJobs(api, tests, signal),
      waitForAllTests(({ status }) => status?.phase === "Succeeded"),
    ]);
  });
  const rest = await idle();
  return { tests, started, connected, ended, idle: rest, peakRssBytes: operator.usage().peakRssBytes };
}
