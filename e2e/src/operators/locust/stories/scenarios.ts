// Stories of load tests. Each runs in its own namespace, on the real node and on the embedded cluster.

import assert from "node:assert/strict";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { ConfigMap, Service } from "@homeostat/kubernetes/core/v1";
import { LocustTest } from "@homeostat/locust-operator";
import { loadTest, masterName, users } from "./manifests.ts";
import type { Stage } from "./stage.ts";

/** One story. */
export interface Scenario {
  /** Namespace of the story. */
  readonly id: string;
  /** Test name, as a sentence. */
  readonly name: string;
  play(stage: Stage): Promise<void>;
}

/** Stories that share an operator. */
export const scenarios: readonly Scenario[] = [
  {
    id: "passes",
    name: "a load test runs from creation to Succeeded, with live statistics, correct totals and kept thresholds",
    play: passes,
  },
  { id: "fails", name: "a load test with failed requests ends Failed with a reason", play: fails },
  { id: "breaks", name: "a load test that misses a threshold ends Failed and names the threshold", play: breaks },
  { id: "aborts", name: "a load test is aborted early when a threshold is missed", play: aborts },
  { id: "stops", name: "a stopped load test keeps its results", play: stops },
  {
    id: "reruns",
    name: "a load test runs again with a changed spec and keeps its first run in its history",
    play: reruns,
  },
  { id: "deleted", name: "a load test that is deleted while it runs leaves no objects", play: deleted },
];

/** The story in which the operator is killed. */
export const killed: Scenario = {
  id: "killed",
  name: "a load test whose operator is killed ten times ends like any other and runs once",
  play: survives,
};

async function passes(stage: Stage): Promise<void> {
  const thresholds = [
    { metric: "failRatio" as const, max: 0 },
    { metric: "totalRequests" as const, min: 10 },
    { metric: "missingWorkers" as const, max: 0 },
  ];
  // Long enough to see live statistics on a busy machine.
  const runTime = stage.subject.name === "real" ? "30s" : "16s";
  await stage.apply(loadTest(stage.namespace, { file: "served.py", runTime, quitSeconds: 15, workers: 2, thresholds }));
  const { status } = await stage.untilOver();

  assertPassed(stage, status);
  const { result } = status ?? {};
  assert.equal(result?.peakUsers, users);
  assert.deepEqual(
    result?.thresholds?.map(({ passed }) => passed),
    [true, true, true],
  );
  const live = stage.seen.filter(({ status: then }) => ["spawning", "running"].includes(then?.progress?.state ?? ""));
  assert.ok(live.length > 0, "live statistics were observed");
  assert.ok(live.some((test) => test.status?.progress?.currentUsers === users && test.status.connectedWorkers === 2));
  assert.ok(
    live.some((test) => (test.status?.progress?.percent ?? -1) > 0),
    "progress was observed",
  );
  assert.equal(reasonOf(stage.seen, "LiveStats"), "Streaming");
  const own = { requests: result?.totalRequests, failures: 0 };
  assert.deepEqual(await stage.printedTotals(), own, "totals that Locust prints");
  assert.deepEqual(await stage.keptTotals("shop-smoke-results"), own, "totals in the stored table");
  await assertServed(stage, status);
}

async function fails(stage: Stage): Promise<void> {
  await stage.apply(loadTest(stage.namespace, { file: "refused.py", runTime: "8s", quitSeconds: 12 }));
  const { status } = await stage.untilOver();

  assert.deepEqual([status?.phase, status?.result?.outcome, status?.result?.masterExitCode], ["Failed", "Failed", 1]);
  assert.match(messageOf(status, "TestCompleted"), /^Test failed: master exited with code 1/);
  assert.equal(
    conditionOf(status, "PodsHealthy")?.status,
    "True",
    "the exit code is a result of the load test, not a pod failure",
  );
  const printed = await stage.printedTotals();
  assert.deepEqual(
    [status?.result?.totalRequests, status?.result?.failedRequests],
    [printed.requests, printed.failures],
  );
  assert.ok(printed.failures > 0);
  assert.equal(status?.result?.topErrors?.[0]?.occurrences, printed.failures);
}

async function breaks(stage: Stage): Promise<void> {
  const thresholds = [
    { metric: "failRatio" as const, max: 0.1 },
    { metric: "totalRequests" as const, min: 1 },
  ];
  await stage.apply(loadTest(stage.namespace, { file: "refused.py", runTime: "8s", quitSeconds: 12, thresholds }));
  const { status } = await stage.untilOver();

  assert.deepEqual(
    [status?.phase, status?.result?.outcome, status?.result?.masterExitCode, reasonIn(status, "TestCompleted")],
    ["Failed", "Failed", 0, "ThresholdsFailed"],
    "the statistics decide, not the exit code",
  );
  assert.deepEqual(
    status?.result?.thresholds?.map(({ passed }) => passed),
    [false, true],
  );
  assert.match(messageOf(status, "TestCompleted"), /failRatio of Aggregated is 0\.2\d*, limit is max 0\.1/);
}

async function aborts(stage: Stage): Promise<void> {
  const thresholds = [{ metric: "failRatio" as const, max: 0.1, abortOnFail: true, minRequests: 12 }];
  await stage.apply(loadTest(stage.namespace, { file: "refused.py", runTime: "30m", quitSeconds: 60, thresholds }));
  const { status } = await stage.untilOver();

  assert.deepEqual(
    [status?.phase, status?.result?.outcome, status?.stop?.trigger, reasonIn(status, "TestCompleted")],
    ["Failed", "Failed", "Threshold", "ThresholdsFailed"],
  );
  await assertEnded(stage);
}

async function stops(stage: Stage): Promise<void> {
  await stage.apply(loadTest(stage.namespace, { file: "served.py", runTime: "30m", quitSeconds: 60 }));
  await stage.until("some requests", ({ status }) => (status?.progress?.requestsPerSecond ?? 0) > 0);
  await stage.annotate("locust.io/stop", "seen enough");
  const { status } = await stage.untilOver();

  assert.deepEqual(
    [status?.phase, status?.result?.outcome, reasonIn(status, "TestCompleted"), status?.result?.final],
    ["Failed", "Aborted", "TestAborted", true],
  );
  assert.deepEqual(
    [status?.stop?.trigger, status?.stop?.reason, status?.stop?.swarmStopped],
    ["Annotation", "seen enough", true],
  );
  assert.match(messageOf(status, "TestCompleted"), /seen enough/);
  assert.ok((status?.result?.totalRequests ?? 0) > 0);
  const kept = await stage.keptTotals(status?.result?.resultsConfigMap ?? "");
  assert.deepEqual(kept, { requests: status?.result?.totalRequests, failures: 0 });
  await assertEnded(stage);
  await assertServed(stage, status);
  assert.ok(
    (await stage.client.get(ConfigMap, { namespace: stage.namespace, name: "shop-smoke-results" })) !== undefined,
  );
}

async function reruns(stage: Stage): Promise<void> {
  await stage.apply(loadTest(stage.namespace, { file: "served.py", runTime: "5s", quitSeconds: 10, workers: 2 }));
  const first = await stage.untilOver();
  const merge = { spec: { worker: { replicas: 1 } } };
  const { client, namespace } = stage;
  await client.patch(LocustTest, { namespace, name: first.metadata.name ?? "" }, { merge });
  await stage.until(
    "a condition that the edit has no effect",
    ({ status }) => reasonIn(status, "SpecDrifted") !== undefined,
  );
  await stage.annotate("locust.io/rerun", "again");
  await stage.until("the second run", ({ status }) => status?.run === 2 && status.phase === "Running");
  const { status } = await stage.untilOver();

  assert.deepEqual([status?.phase, status?.run, status?.expectedWorkers], ["Succeeded", 2, 1]);
  assert.deepEqual(
    status?.history?.map(({ run, outcome, totalRequests }) => [run, outcome, totalRequests]),
    [[1, "Passed", first.status?.result?.totalRequests]],
  );
  assert.equal(reasonIn(status, "SpecDrifted"), undefined);
  assert.deepEqual([stage.masters.size, stage.workers.size], [2, 3], "each run had its own pods");
  assert.equal(status?.result?.resultsConfigMap, "shop-smoke-results-2");
}

async function deleted(stage: Stage): Promise<void> {
  await stage.apply(loadTest(stage.namespace, { file: "served.py", runTime: "30m", quitSeconds: 60 }));
  const test = await stage.until("users", ({ status }) => (status?.progress?.currentUsers ?? 0) > 0);
  assert.ok((await stage.leftovers()).length > 5, "the load test has objects");
  await stage.client.delete(LocustTest, { namespace: stage.namespace, name: test.metadata.name ?? "" });

  await stage.eventually("the deletion of all objects", async () =>
    (await stage.leftovers()).length === 0 ? true : undefined,
  );
}

async function survives(stage: Stage): Promise<void> {
  const { client, namespace, operator } = stage;
  const exists = (what: "service" | "master" | "worker") => (): Promise<unknown> => {
    const name = what === "worker" ? "shop-smoke-worker" : masterName;
    const look = async (): Promise<unknown> =>
      what === "service" ? client.get(Service, { namespace, name }) : client.get(Job, { namespace, name });
    return stage.eventually(what, look, 20);
  };
  const shows =
    (what: string, isShown: (status: NonNullable<LocustTest["status"]>) => boolean) => (): Promise<unknown> =>
      stage.until(what, ({ status }) => status !== undefined && isShown(status));
  const isPast = (percent: number) => (status: NonNullable<LocustTest["status"]>) =>
    (status.progress?.percent ?? 0) >= percent || status.phase === "Succeeded";
  const isOver = ({ progress, phase }: NonNullable<LocustTest["status"]>): boolean =>
    progress?.state === "stopped" || phase === "Succeeded";
  const moments: readonly (() => Promise<unknown>)[] = [
    shows("a first status", () => true),
    exists("service"),
    exists("master"),
    exists("worker"),
    shows("Running", ({ phase }) => phase === "Running" || phase === "Succeeded"),
    shows("both workers", ({ connectedWorkers }) => connectedWorkers === 2),
    shows("users", ({ progress }) => (progress?.currentUsers ?? 0) > 0 || progress?.state === "stopped"),
    shows("the middle of the run", isPast(50)),
    shows("the end of the run", isOver),
    shows("a result", ({ result }) => result !== undefined),
  ];
  const thresholds = [{ metric: "failRatio" as const, max: 0 }];
  // Every kill must happen before the master exits, and the operator has to start ten times until then.
  const length =
    stage.subject.name === "real" ? { runTime: "25s", quitSeconds: 30 } : { runTime: "10s", quitSeconds: 15 };
  await stage.apply(loadTest(namespace, { file: "served.py", ...length, workers: 2, thresholds }));
  for (const moment of moments) {
    await moment();
    await operator.killAndRestart();
  }
  const { status } = await stage.untilOver();

  assertPassed(stage, status);
  assert.deepEqual(
    status?.result?.thresholds?.map(({ passed }) => passed),
    [true],
  );
  const own = { requests: status?.result?.totalRequests, failures: 0 };
  assert.deepEqual(await stage.printedTotals(), own);
  assert.deepEqual(await stage.keptTotals("shop-smoke-results"), own);
  await assertServed(stage, status);
}

/** Checks what holds for every load test that succeeded. */
function assertPassed({ masters, workers }: Stage, status: LocustTest["status"]): void {
  assert.deepEqual(
    {
      phase: status?.phase,
      run: status?.run,
      workers: [status?.expectedWorkers, status?.connectedWorkers],
      conditions: status?.conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`).sort(),
      outcome: status?.result?.outcome,
      isFinal: status?.result?.final,
      exitCode: status?.result?.masterExitCode,
    },
    {
      phase: "Succeeded",
      run: 1,
      workers: [2, 2],
      conditions: [
        `LiveStats ${conditionOf(status, "LiveStats")?.status} ${reasonIn(status, "LiveStats")}`,
        "PodsHealthy True PodsStarting",
        "Ready True ResourcesCreated",
        "TestCompleted True TestSucceeded",
        "WorkersConnected True AllWorkersConnected",
      ],
      outcome: "Passed",
      isFinal: true,
      exitCode: 0,
    },
    JSON.stringify(status, undefined, 1),
  );
  assert.deepEqual([masters.size, workers.size], [1, 2], "no pod was created twice");
}

/** Checks that the target service received the requests of exactly one run. */
async function assertServed(stage: Stage, status: LocustTest["status"]): Promise<void> {
  const counts = await stage.counts();
  if (counts === undefined) return;
  assert.equal(counts.total, status?.result?.totalRequests);
}

/** Waits until both Jobs have finished; they are kept. */
async function assertEnded(stage: Stage): Promise<void> {
  const jobs = await stage.eventually("the end of both Jobs", async () => {
    const { items } = await stage.client.list(Job, { namespace: stage.namespace });
    const isEnded = ({ status }: Job): boolean =>
      status?.conditions?.some(({ type, status: is }) => type === "Failed" && is === "True") ?? false;
    return items.every(isEnded) ? items : undefined;
  });
  assert.equal(jobs.length, 2);
}

function conditionOf(status: LocustTest["status"], type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}

function reasonIn(status: LocustTest["status"], type: string): string | undefined {
  return conditionOf(status, type)?.reason;
}

function messageOf(status: LocustTest["status"], type: string): string {
  return conditionOf(status, type)?.message ?? "";
}

/** Returns the reason that a condition had while the load test ran. */
function reasonOf(seen: readonly LocustTest[], type: string): string | undefined {
  const last = seen.findLast(({ status }) => status?.progress?.state === "running");
  return reasonIn(last?.status, type);
}
