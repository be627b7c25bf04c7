// Follows the migration guide from the Go operator literally, starting with a Helm release like that operator's.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { Client } from "@homeostat/client";
import { helmPath, kubectl, type RealCluster, whyNoHelm } from "@homeostat/kube";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { LocustTest } from "@homeostat/locust-operator";
import { stepsOf } from "./steps.ts";
import { reasonToSkip, startCluster } from "../harness/cluster.ts";
import { repository } from "../harness/repository.ts";

const run = promisify(execFile);
const need = "apiserver";
const skip = (await whyNoHelm()) ?? (await reasonToSkip({ need })) ?? false;
const page = readFileSync(join(repository, "docs/guides/move-to-homeostat-locust.md"), "utf8");
const blocks = stepsOf(page).flatMap((step) => (step.type === "commands" ? [step.text] : []));
const system = "locust-system";

describe("the migration to the Homeostat Locust operator, as in the guide", { skip, timeout: 300_000 }, () => {
  let cluster: RealCluster;
  let client: Client;
  let folder = "";
  let env: NodeJS.ProcessEnv;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "homeostat-move-"));
    const report = (line: string): void => void process.stderr.write(`kube: ${line}\n`);
    await mkdir(join(folder, "bin"));
    await symlink(await helmPath({ env: process.env, report }), join(folder, "bin/helm"));
    await symlink(join(repository, "operators"), join(folder, "operators"));
    cluster = await startCluster({ need });
    client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
    const path = [join(folder, "bin"), dirname(await kubectl()), dirname(process.execPath), process.env["PATH"]];
    env = {
      ...process.env,
      KUBECONFIG: cluster.kubeconfigPath,
      NODE_OPTIONS: "--conditions=development",
      PATH: path.join(":"),
    };
    await writeOldChart(join(folder, "old"));
    await shell(`helm install locust ./old --namespace ${system} --create-namespace --set replicaCount=3`);
    await shell("kubectl wait crd/locusttests.locust.io --for=condition=Established --timeout=60s");
    const spec = { image: "locust", master: { command: "-t 1m" }, worker: { command: "-t 1m", replicas: 2 } };
    const test = { apiVersion: "locust.io/v2", kind: "LocustTest", metadata: { name: "kept" }, spec };
    await writeFile(join(folder, "test.json"), JSON.stringify(test));
    // The CRD may be Established before it is served.
    await shell("for i in $(seq 100); do kubectl apply --filename test.json && exit; sleep 0.2; done; exit 1");
  });

  after(async () => {
    client?.close();
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const shell = async (script: string): Promise<string> => {
    const text = script.replaceAll("REGISTRY/", "example.com/").replaceAll("TAG", "1.0.0");
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", text], { cwd: folder, env });
    return stdout;
  };
  const names = async (): Promise<(string | undefined)[]> =>
    (await client.list(Deployment, { namespace: system })).items.map(({ metadata }) => metadata.name);
  const uidOfTest = async (): Promise<string | undefined> =>
    (await client.get(LocustTest, { namespace: "default", name: "kept" }))?.metadata.uid;

  it("keeps the load tests, takes over the chart values, and can be rolled back", async () => {
    const [upgrade = "", look = "", back = "", plain = ""] = blocks;
    assert.equal(blocks.length, 4);
    const uid = await uidOfTest();
    assert.ok(uid);

    await shell(upgrade);
    const seen = await shell(look);
    const deployment = await client.get(Deployment, { namespace: system, name: "locust-k8s-operator" });

    assert.match(seen, /^v1 v2 Webhook\n/);
    assert.match(seen, /default +kept/);
    assert.deepEqual(await names(), ["locust-k8s-operator"]);
    assert.equal(deployment?.spec.replicas, 3);
    assert.equal(deployment?.spec.template.spec?.containers[0]?.image, "example.com/locust-k8s-operator:1.0.0");
    assert.equal(await uidOfTest(), uid);

    await shell(back);
    assert.deepEqual(await names(), ["locust-operator"]);
    assert.equal(await uidOfTest(), uid);

    await shell(plain);
    assert.deepEqual(await names(), ["locust-k8s-operator"]);
    assert.equal(await uidOfTest(), uid);
    const crd = await client.get(CustomResourceDefinition, { name: "locusttests.locust.io" });
    assert.equal(crd?.spec.conversion?.strategy, "Webhook");
  });
});

/** Writes a chart with the relevant parts of the Go operator's chart: its name, the CRD among its templates, and a Deployment. */
async function writeOldChart(folder: string): Promise<void> {
  const crd = LocustTest.crd();
  const versions = crd.spec.versions.map((version) => ({ ...version, served: true }));
  const labels = { "app.kubernetes.io/name": "locust-k8s-operator", "app.kubernetes.io/instance": "locust" };
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "locust-operator", labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "locust-k8s-operator", image: "old" }] } },
    },
  };
  const files = {
    "Chart.yaml": { apiVersion: "v2", name: "locust-k8s-operator", version: "2.4.3", appVersion: "2.4.1" },
    "values.yaml": { replicaCount: 2, image: { repository: "old", tag: "" }, fullnameOverride: "locust-operator" },
    "templates/crd.yaml": { ...crd, spec: { ...crd.spec, versions, conversion: { strategy: "None" } } },
    "templates/deployment.yaml": deployment,
  };
  await mkdir(join(folder, "templates"), { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content));
}
