import { type Client } from "@homeostat/client";
import { formatTime, NetworkError } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { LocustTest } from "@homeostat/locust-operator";
import type { RawApi } from "../peers/raw-api.ts";
import { pause } from "../peers/time.ts";

/** Where the tests are. */
export const namespace = "load";

const testsPath = `/apis/locust.io/v2/namespaces/${namespace}/locusttests`;
const jobsPath = `/apis/batch/v1/namespaces/${namespace}/jobs`;

/** How many requests the driver has under way at a time. */
const lanes = 32;

/** Makes the namespace and the kind. There is no webhook that converts, so the old version is not served. */
export async function prepare(api: RawApi, client: Client, signal: AbortSignal): Promise<void> {
  const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await api.must({ method: "POST", path: "/api/v1/namespaces", body }, signal);
  const crd = LocustTest.crd();
  const versions = crd.spec.versions.map((version) => ({ ...version, served: version.name !== "v1" }));
  const definition = { ...crd, spec: { ...crd.spec, versions, conversion: { strategy: "None" } } };
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await api.must({ method: "POST", path, body: JSON.stringify(definition) }, signal);
  const name = crd.metadata.name ?? "";
  const isEstablished = async (): Promise<boolean> => {
    const found = await client.get(CustomResourceDefinition, { name });
    return found?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true;
  };
  while (!((await isEstablished()) && (await api.isOk(testsPath)))) await pause(100, signal);
  // The first writes of a new kind wait for seconds, whoever makes them.
  for (let i = 0; i < 20; i += 1)
    await api.must({ method: "POST", path: testsPath, body: testBody(`warm-${i}`) }, signal);
  await api.must({ method: "DELETE", path: testsPath }, signal);
}

/** Makes tests, all at once. */
export async function createTests(api: RawApi, count: number, signal: AbortSignal): Promise<void> {
  await all(count, async (index) => {
    await api.must({ method: "POST", path: testsPath, body: testBody(testName(index)) }, signal);
  });
}

/** Says of both Jobs of every test what their controller says when their pods run. */
export async function startJobs(api: RawApi, count: number, signal: AbortSignal): Promise<void> {
  const startTime = formatTime(Math.floor(Date.now() / 1000) * 1000);
  await all(count, async (index) => {
    for (const [role, active] of [
      ["master", 1],
      ["worker", 2],
    ] as const) {
      const status = { startTime, active, ready: active, terminating: 0, uncountedTerminatedPods: {} };
      const path = `${jobsPath}/${testName(index)}-${role}/status`;
      await api.must({ method: "PATCH", path, body: JSON.stringify({ status }) }, signal);
    }
  });
}

/** Says of both Jobs of every test what their controller says when they are complete: workers first, as Locust ends. */
export async function completeJobs(api: RawApi, count: number, signal: AbortSignal): Promise<void> {
  const time = formatTime(Math.floor(Date.now() / 1000) * 1000);
  const condition = { status: "True", reason: "CompletionsReached", lastProbeTime: time, lastTransitionTime: time };
  await all(count, async (index) => {
    for (const [role, succeeded] of [
      ["worker", 2],
      ["master", 1],
    ] as const) {
      const status = {
        completionTime: time,
        active: 0,
        ready: 0,
        succeeded,
        conditions: [
          { type: "SuccessCriteriaMet", ...condition },
          { type: "Complete", ...condition },
        ],
      };
      const path = `${jobsPath}/${testName(index)}-${role}/status`;
      await api.must({ method: "PATCH", path, body: JSON.stringify({ status }) }, signal);
    }
  });
}

/** Waits until every test says something of itself. Resolves with when the last of them did. */
export async function allSay(
  client: Client,
  { count, isSaid, signal }: { count: number; isSaid: (test: LocustTest) => boolean; signal: AbortSignal },
): Promise<number> {
  const done = new Set<string>();
  const see = (test: LocustTest): void => {
    if (isSaid(test)) done.add(test.metadata.name ?? "");
  };
  const first = await client.list(LocustTest, { namespace });
  first.items.forEach(see);
  let { resourceVersion } = first;
  while (done.size < count) {
    signal.throwIfAborted();
    try {
      for await (const event of client.watch(LocustTest, { namespace, resourceVersion, signal })) {
        if (event.type === "BOOKMARK") continue;
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
        see(event.object);
        if (done.size >= count) break;
      }
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
    }
  }
  return performance.now();
}

/** How many Services and Jobs there are. */
export async function countObjects(api: RawApi, signal: AbortSignal): Promise<{ services: number; jobs: number }> {
  const count = async (path: string): Promise<number> => {
    const { text } = await api.must({ path }, signal);
    return (JSON.parse(text) as { items: unknown[] }).items.length;
  };
  return { services: await count(`/api/v1/namespaces/${namespace}/services`), jobs: await count(jobsPath) };
}

function testName(index: number): string {
  return `test-${index}`;
}

function testBody(name: string): string {
  return JSON.stringify({
    apiVersion: "locust.io/v2",
    kind: "LocustTest",
    metadata: { name },
    spec: {
      image: "locustio/locust:2.46.3",
      master: {
        command: "--locustfile /lotest/src/shop.py --host http://shop --users 50 --spawn-rate 5 --run-time 2m",
      },
      worker: { command: "--locustfile /lotest/src/shop.py", replicas: 2 },
      testFiles: { configMapRef: "shop-test" },
    },
  });
}

async function all(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, count) }, lane));
}
