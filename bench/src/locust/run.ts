import { LocustTest } from "@homeostat/locust-operator";
import { allSay } from "../operators/all-say.ts";
import type { OperatorBenchOptions } from "../operators/arguments.ts";
import { type OperatorBench, runOperatorBench, type Stand } from "../operators/stand.ts";
import { completeJobs, countObjects, createTests, namespace, prepare, startJobs } from "./load-tests.ts";
import { excesses, formatNumbers, type LocustNumbers } from "./report.ts";

const bench: OperatorBench<LocustNumbers> = {
  name: "locust",
  program: new URL("./program.js", import.meta.url),
  namespace,
  prepare,
  measure,
  format: formatNumbers,
  excesses,
};

/** Measures the Locust operator. */
export async function runLocust(options: OperatorBenchOptions): Promise<void> {
  await runOperatorBench(bench, options);
}

async function measure(stand: Stand, { count: tests }: OperatorBenchOptions): Promise<LocustNumbers> {
  const { api, client, operator, signal, stretch, idle } = stand;
  const say = (isSaid: (test: LocustTest) => boolean): Promise<void> =>
    allSay(client, LocustTest, { count: tests, isSaid, signal });

  const started = await stretch("create all, until all are Running", async () => {
    await Promise.all([
      createTests(api, tests, signal),
      say(({ status }) => status?.phase === "Running" && status.masterJobUID !== undefined),
    ]);
  });
  const { services, jobs } = await countObjects(api, signal);
  if (services !== tests || jobs !== 2 * tests) throw new Error(`found ${services} Services and ${jobs} Jobs`);
  const connected = await stretch("pods running, until all statuses are updated", async () => {
    await Promise.all([startJobs(api, tests, signal), say(({ status }) => status?.connectedWorkers === 2)]);
  });
  const ended = await stretch("Jobs complete, until all are Succeeded", async () => {
    await Promise.all([completeJobs(api, tests, signal), say(({ status }) => status?.phase === "Succeeded")]);
  });
  const rest = await idle();
  return { tests, started, connected, ended, idle: rest, peakRssBytes: operator.usage().peakRssBytes };
}
