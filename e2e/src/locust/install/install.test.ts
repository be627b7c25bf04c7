// The operator in a cluster: installed by its chart and by its manifests, under exactly its rights, with two replicas.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "@homeostat/client";
import { helmPath, type RealCluster, whyNoHelm } from "@homeostat/kube";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Lease } from "@homeostat/kubernetes/coordination/v1";
import { ConfigMap, Namespace, Pod, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { LocustTest, type LocustTestInput } from "@homeostat/locust-operator";
import { reasonToSkip, startCluster } from "../../harness/cluster.ts";
import { Installed } from "../../harness/installed.ts";
import { importOperatorImage, operatorImage } from "../../harness/operator-image.ts";
import { loadTest, masterName, targetPod, targetService, testFiles, testName } from "../stories/manifests.ts";

const run = promisify(execFile);
const need = "node";
const skip = (await whyNoHelm()) ?? (await reasonToSkip({ need })) ?? false;
const tool = fileURLToPath(new URL("../../../../tools/kube/dist/main.js", import.meta.url));
const system = "locust-system";
const name = "locust-k8s-operator";
const image = operatorImage("locust");
const leaseName = "locust-k8s-operator.locust.io";

// Nothing is pulled here, and two cores have to do.
const env = {
  METRICS_EXPORTER_IMAGE: "docker.io/local/pause:1",
  METRICS_EXPORTER_IMAGE_PULL_POLICY: "IfNotPresent",
  METRICS_EXPORTER_CPU_REQUEST: "1m",
  METRICS_EXPORTER_MEM_REQUEST: "1Mi",
  POD_CPU_REQUEST: "10m",
  POD_MEM_REQUEST: "16Mi",
  POD_STARTUP_GRACE_SECONDS: "900",
};

describe("the operator in a real cluster", { skip, timeout: 900_000 }, () => {
  let cluster: RealCluster;
  let client: Client;
  let installed: Installed;
  let helm = "";
  let folder = "";

  before(async () => {
    const report = (line: string): void => void process.stderr.write(`kube: ${line}\n`);
    helm = await helmPath({ env: process.env, report });
    cluster = await startCluster({ need });
    const known = basename(dirname(cluster.kubeconfigPath));
    await run(process.execPath, [tool, "image", "base", "--install", "--name", known]);
    importOperatorImage(cluster.kubeconfigPath, image);
    client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
    installed = new Installed(cluster, client, system);
    folder = await mkdtemp(join(tmpdir(), "install-"));
  });

  after(async () => {
    client?.close();
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("is installed by its chart, serves its webhooks, and runs a test although its leader is killed", async () => {
    const chart = join(folder, "chart");
    const values = join(folder, "values.json");
    await run(process.execPath, [image.program, "chart", chart]);
    const { repository, tag } = image;
    const variables = Object.entries(env).map(([key, value]) => ({ name: key, value }));
    await writeFile(
      values,
      JSON.stringify({ image: { repository, tag, pullPolicy: "IfNotPresent" }, env: variables, logLevel: "debug" }),
    );
    const at = ["--namespace", system, "--kubeconfig", cluster.kubeconfigPath];
    await run(helm, ["install", name, chart, "--create-namespace", "--values", values, ...at]);
    await untilAvailable(2);

    await prepare("by-chart");
    await refusesWhatIsWrong("by-chart");
    await takesTheOldVersion("by-chart");
    const test = await playedWithoutItsLeader("by-chart");

    assert.equal(test.status?.phase, "Succeeded", JSON.stringify(test.status));
    assert.equal(test.status?.result?.outcome, "Passed");
    assert.ok((test.status?.result?.totalRequests ?? 0) > 0);
    await goesWithAllItHas("by-chart");
    await run(helm, ["uninstall", name, "--wait", ...at]);
  });

  it("is installed by its manifests, and works under exactly their rights", async () => {
    const { stdout } = await run(process.execPath, [
      image.program,
      "manifests",
      "--image",
      image.name,
      "--image-pull-policy",
      "IfNotPresent",
      "--namespace",
      system,
    ]);
    const file = join(folder, "manifests.yaml");
    await writeFile(file, stdout);
    await installed.ask("apply", "--server-side", "--force-conflicts", "-f", file);
    await untilAvailable(2);

    await prepare("by-manifests");
    await create("by-manifests");
    const made = await installed.eventually("all that belongs to a test", async () => {
      const jobs = (await client.list(Job, { namespace: "by-manifests" })).items;
      const test = await client.get(LocustTest, { namespace: "by-manifests", name: testName });
      return jobs.length === 2 && test?.status?.phase === "Running" ? test : undefined;
    });

    assert.equal(made.status?.conditions?.find(({ type }) => type === "Ready")?.reason, "ResourcesCreated");
    await goesWithAllItHas("by-manifests");
  });

  async function untilAvailable(replicas: number): Promise<void> {
    await installed.eventually("the operator's replicas", async () => {
      const deployment = await client.get(Deployment, { namespace: system, name });
      return deployment?.status?.availableReplicas === replicas ? deployment : undefined;
    });
  }

  /** A namespace with something to put under load. */
  async function prepare(namespace: string): Promise<void> {
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await installed.eventually("an account for pods", () => client.get(ServiceAccount, { namespace, name: "default" }));
    await client.create(Service, targetService(namespace));
    await client.create(ConfigMap, testFiles(namespace));
    await client.create(Pod, targetPod(namespace));
    await installed.eventually("the service under load", async () => {
      const pod = await client.get(Pod, { namespace, name: "target" });
      return pod?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
    });
  }

  async function create(namespace: string): Promise<void> {
    const test = loadTest(namespace, { file: "served.py", runTime: "15s", quitSeconds: 15, workers: 2 });
    await installed.eventually("the webhook", async () => ((await post(test)) === "" ? true : undefined));
  }

  /** Creates a test; returns what the server has against it. */
  async function post(test: LocustTestInput): Promise<string> {
    const path = `/apis/locust.io/v2/namespaces/${test.metadata.namespace ?? ""}/locusttests`;
    const headers = { "content-type": "application/json" };
    try {
      (await client.raw({ method: "POST", path, headers, body: JSON.stringify(test) })).body.cancel();
      return "";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async function refusesWhatIsWrong(namespace: string): Promise<void> {
    const good = loadTest(namespace, { file: "served.py", runTime: "5s", quitSeconds: 5 });
    const test = {
      ...good,
      metadata: { ...good.metadata, name: "1-wrong" },
      spec: { ...good.spec, volumes: [{ name: "secret-x", emptyDir: {} }] },
    };
    await installed.eventually("a refusal in words", async () => {
      const problem = await post(test);
      assert.notEqual(problem, "", "it was taken");
      return /must start with a letter/.test(problem) && /uses reserved prefix "secret-"/.test(problem)
        ? problem
        : undefined;
    });
  }

  /** What is written as v1 is read as v2, and the other way round. */
  async function takesTheOldVersion(namespace: string): Promise<void> {
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
    const here = ["-n", namespace];
    await installed.ask(...here, "create", "-f", file);
    assert.equal(
      await installed.ask(
        ...here,
        "get",
        "locusttests.v2.locust.io",
        "old",
        "-o",
        "jsonpath={.spec.worker.replicas}{.spec.master.command}",
      ),
      "3-f a.py",
    );
    assert.equal(
      await installed.ask(
        ...here,
        "get",
        "locusttests.v1.locust.io",
        "old",
        "-o",
        "jsonpath={.spec.workerReplicas}{.spec.masterCommandSeed}",
      ),
      "3-f a.py",
    );
    await installed.ask(...here, "delete", "lotest", "old", "--wait=false");
  }

  /** Runs a test to its end; in the middle of it the pod that leads is killed. */
  async function playedWithoutItsLeader(namespace: string): Promise<LocustTest> {
    await create(namespace);
    await installed.eventually("numbers of the running test", async () => {
      const test = await client.get(LocustTest, { namespace, name: testName });
      return (test?.status?.progress?.currentUsers ?? 0) > 0 ? test : undefined;
    });
    const masters = async (): Promise<(string | undefined)[]> =>
      (await client.list(Pod, { namespace, labelSelector: `performance-test-pod-name=${masterName}` })).items.map(
        ({ metadata }) => metadata.uid,
      );
    const before = await masters();
    const lease = await client.get(Lease, { namespace: system, name: leaseName });
    const [leader = ""] = lease?.spec?.holderIdentity?.split("_") ?? [];
    await client.delete(Pod, { namespace: system, name: leader }, { gracePeriodSeconds: 0 });
    const over = await installed.eventually("the end of the test", async () => {
      const test = await client.get(LocustTest, { namespace, name: testName });
      return ["Succeeded", "Failed"].includes(test?.status?.phase ?? "") ? test : undefined;
    });
    assert.deepEqual(await masters(), before, "the load ran twice");
    const after = await client.get(Lease, { namespace: system, name: leaseName });
    assert.notEqual(after?.spec?.holderIdentity, lease?.spec?.holderIdentity);
    return over;
  }

  async function goesWithAllItHas(namespace: string): Promise<void> {
    await client.delete(LocustTest, { namespace, name: testName });
    await installed.eventually("nothing to be left", async () => {
      const jobs = (await client.list(Job, { namespace })).items;
      const services = (await client.list(Service, { namespace })).items;
      const test = await client.get(LocustTest, { namespace, name: testName });
      return jobs.length === 0 && services.length === 1 && test === undefined ? true : undefined;
    });
    await client.delete(Namespace, { name: namespace });
  }
});
