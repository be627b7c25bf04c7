import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { ConfigMap, Namespace, Pod, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { LocustTest } from "@homeostat/locust-operator";
import { describeInstall } from "../../../harness/install-suite.ts";
import type { Installed } from "../../../harness/installed.ts";
import { loadTest, masterName, targetPod, targetService, testFiles, testName } from "../stories/manifests.ts";
import { repository } from "../../../harness/repository.ts";

const run = promisify(execFile);
const tool = join(repository, "tools/kube/dist/main.js");

// The node cannot pull images and has two cores for everything.
const env = {
  METRICS_EXPORTER_IMAGE: "docker.io/local/pause:1",
  METRICS_EXPORTER_IMAGE_PULL_POLICY: "IfNotPresent",
  METRICS_EXPORTER_CPU_REQUEST: "1m",
  METRICS_EXPORTER_MEM_REQUEST: "1Mi",
  POD_CPU_REQUEST: "10m",
  POD_MEM_REQUEST: "16Mi",
  POD_STARTUP_GRACE_SECONDS: "900",
};

await describeInstall("the Locust operator in a real cluster", {
  operator: "locust",
  namespace: "locust-system",
  deployment: "locust-k8s-operator",
  lease: "locust-k8s-operator.locust.io",
  values: { env: Object.entries(env).map(([name, value]) => ({ name, value })), logLevel: "debug" },
  prepare: async (kubeconfigPath) => {
    const cluster = basename(dirname(kubeconfigPath));
    await run(process.execPath, [tool, "image", "base", "--install", "--name", cluster]);
  },
  byChart: {
    title: "the operator serves its webhooks and completes a load test although its leader is killed",
    play: async (installed) => {
      await prepareNamespace(installed, "by-chart");
      await refusesInvalidTests(installed, "by-chart");
      await refusesUnreadableReferences(installed, "by-chart");
      await servesTheOldVersion(installed, "by-chart");
      const { status } = await completedWithoutItsLeader(installed, "by-chart");

      assert.equal(status?.phase, "Succeeded", JSON.stringify(status));
      assert.equal(status?.result?.outcome, "Passed");
      assert.ok((status?.result?.totalRequests ?? 0) > 0);
      await isDeletedWithItsObjects(installed, "by-chart");
    },
  },
  byManifests: {
    title: "the operator starts a load test",
    play: async (installed) => {
      const { client } = installed;
      const namespace = "by-manifests";
      await prepareNamespace(installed, namespace);
      await createTest(installed, namespace);
      const { status } = await installed.eventually("the objects of the test", async () => {
        const jobs = (await client.list(Job, { namespace })).items;
        const test = await client.get(LocustTest, { namespace, name: testName });
        return jobs.length === 2 && test?.status?.phase === "Running" ? test : undefined;
      });

      assert.equal(status?.conditions?.find(({ type }) => type === "Ready")?.reason, "ResourcesCreated");
      await isDeletedWithItsObjects(installed, namespace);
    },
  },
});

function testsPath(namespace: string): string {
  return `/apis/locust.io/v2/namespaces/${namespace}/locusttests`;
}

/** Creates a namespace with a target service for the load. */
async function prepareNamespace(installed: Installed, namespace: string): Promise<void> {
  const { client } = installed;
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await installed.eventually("the default service account", () =>
    client.get(ServiceAccount, { namespace, name: "default" }),
  );
  await client.create(Service, targetService(namespace));
  await client.create(ConfigMap, testFiles(namespace));
  await client.create(Pod, targetPod(namespace));
  await installed.eventually("the target service", async () => {
    const pod = await client.get(Pod, { namespace, name: "target" });
    return pod?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
  });
}

async function createTest(installed: Installed, namespace: string): Promise<void> {
  const test = loadTest(namespace, { file: "served.py", runTime: "15s", quitSeconds: 15, workers: 2 });
  await installed.create(testsPath(namespace), test);
}

async function refusesInvalidTests(installed: Installed, namespace: string): Promise<void> {
  const valid = loadTest(namespace, { file: "served.py", runTime: "5s", quitSeconds: 5 });
  const invalid = {
    ...valid,
    metadata: { ...valid.metadata, name: "1-wrong" },
    spec: { ...valid.spec, volumes: [{ name: "secret-x", emptyDir: {} }] },
  };
  await installed.refuses(testsPath(namespace), invalid, [
    /must start with a letter/,
    /uses reserved prefix "secret-"/,
  ]);
}

/** Creates a load test as a user who may create load tests but may read only one of the two ConfigMaps that it references. */
async function refusesUnreadableReferences(installed: Installed, namespace: string): Promise<void> {
  const kubectl = (...args: string[]): Promise<string> => installed.kubectl("-n", namespace, ...args);
  await kubectl("create", "role", "author", "--verb=create", "--resource=locusttests.locust.io");
  await kubectl("create", "role", "reader", "--verb=get", "--resource=configmaps", "--resource-name=readable");
  for (const role of ["author", "reader"]) await kubectl("create", "rolebinding", role, `--role=${role}`, "--user=eve");
  const folder = await mkdtemp(join(tmpdir(), "references-"));
  const file = join(folder, "test.json");
  const valid = loadTest(namespace, { file: "served.py", runTime: "5s", quitSeconds: 5 });
  const createWith = async (configMapRef: string): Promise<string> => {
    await writeFile(file, JSON.stringify({ ...valid, spec: { ...valid.spec, testFiles: { configMapRef } } }));
    return kubectl("--as=eve", "create", "--dry-run=server", "-f", file);
  };

  await assert.rejects(
    createWith("other"),
    /spec\.testFiles\.configMapRef: .*user "eve" cannot get ConfigMap "other" in namespace "by-chart"/,
  );
  assert.match(await createWith("readable"), /created \(server dry run\)/);
  await rm(folder, { recursive: true });
}

/** Writes a load test as v1 and reads it as v2, and vice versa. */
async function servesTheOldVersion(installed: Installed, namespace: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "v1-"));
  const file = join(folder, "v1.json");
  await writeFile(
    file,
    JSON.stringify({
      apiVersion: "locust.io/v1",
      kind: "LocustTest",
      metadata: { name: "old", namespace },
      spec: { image: "none", masterCommandSeed: "-f a.py", workerCommandSeed: "-f b.py", workerReplicas: 3 },
    }),
  );
  const read = (kind: string, jsonPath: string): Promise<string> =>
    installed.kubectl("-n", namespace, "get", kind, "old", "-o", `jsonpath=${jsonPath}`);
  await installed.kubectl("-n", namespace, "create", "-f", file);
  await rm(folder, { recursive: true });

  assert.equal(await read("locusttests.v2.locust.io", "{.spec.worker.replicas}{.spec.master.command}"), "3-f a.py");
  assert.equal(await read("locusttests.v1.locust.io", "{.spec.workerReplicas}{.spec.masterCommandSeed}"), "3-f a.py");
  await installed.kubectl("-n", namespace, "delete", "lotest", "old", "--wait=false");
}

/** Runs a load test to its end and kills the leader's pod meanwhile. */
async function completedWithoutItsLeader(installed: Installed, namespace: string): Promise<LocustTest> {
  const { client } = installed;
  await createTest(installed, namespace);
  await installed.eventually("statistics of the running test", async () => {
    const test = await client.get(LocustTest, { namespace, name: testName });
    return (test?.status?.progress?.currentUsers ?? 0) > 0 ? test : undefined;
  });
  const masters = async (): Promise<(string | undefined)[]> =>
    (await client.list(Pod, { namespace, labelSelector: `performance-test-pod-name=${masterName}` })).items.map(
      ({ metadata }) => metadata.uid,
    );
  const before = await masters();
  const killed = await installed.killLeader();
  const completed = await installed.eventually("the end of the load test", async () => {
    const test = await client.get(LocustTest, { namespace, name: testName });
    return ["Succeeded", "Failed"].includes(test?.status?.phase ?? "") ? test : undefined;
  });
  assert.deepEqual(await masters(), before, "the load ran twice");
  assert.notEqual(await installed.leader(), killed);
  return completed;
}

async function isDeletedWithItsObjects(installed: Installed, namespace: string): Promise<void> {
  const { client } = installed;
  await client.delete(LocustTest, { namespace, name: testName });
  await installed.eventually("the deletion of all objects", async () => {
    const jobs = (await client.list(Job, { namespace })).items;
    const services = (await client.list(Service, { namespace })).items;
    const test = await client.get(LocustTest, { namespace, name: testName });
    return jobs.length === 0 && services.length === 1 && test === undefined ? true : undefined;
  });
  await client.delete(Namespace, { name: namespace });
}
