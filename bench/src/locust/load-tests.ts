import type { Client } from "@homeostat/client";
import { formatTime } from "@homeostat/core";
import { LocustTest } from "@homeostat/locust-operator";
import { installKind } from "../operators/install-kind.ts";
import { forAll } from "../operators/lanes.ts";
import type { RawApi } from "../peers/raw-api.ts";

/** Namespace of the tests. */
export const namespace = "load";

const testsPath = `/apis/locust.io/v2/namespaces/${namespace}/locusttests`;
const jobsPath = `/apis/batch/v1/namespaces/${namespace}/jobs`;

/** Creates the namespace and the CRD. There is no conversion webhook, so the old version is not served. */
export async function prepare(api: RawApi, client: Client, signal: AbortSignal): Promise<void> {
  const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await api.must({ method: "POST", path: "/api/v1/namespaces", body }, signal);
  const crd = LocustTest.crd();
  const versions = crd.spec.versions.map((version) => ({ ...version, served: version.name !== "v1" }));
  const alone = { ...crd, spec: { ...crd.spec, versions, conversion: { strategy: "None" } } };
  await installKind(api, client, { crd: alone, path: testsPath, bodyOf: testBody }, signal);
}

/** Creates all tests at once. */
export async function createTests(api: RawApi, count: number, signal: AbortSignal): Promise<void> {
  await forAll(count, async (index) => {
    await api.must({ method: "POST", path: testsPath, body: testBody(testName(index)) }, signal);
  });
}

/** Sets the status of both Jobs of every test as their controller does when the pods run. */
export async function startJobs(api: RawApi, count: number, signal: AbortSignal): Promise<void> {
  const startTime = formatTime(Math.floor(Date.now() / 1000) * 1000);
  await forAll(count, async (index) => {
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

/** Sets the status of both Jobs of every test as their controller does on completion: workers first, as with Locust. */
export async function completeJobs(api: RawApi, count: number, signal: AbortSignal): Promise<void> {
  const time = formatTime(Math.floor(Date.now() / 1000) * 1000);
  const condition = { status: "True", reason: "CompletionsReached", lastProbeTime: time, lastTransitionTime: time };
  await forAll(count, async (index) => {
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

/** Counts Services and Jobs. */
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
