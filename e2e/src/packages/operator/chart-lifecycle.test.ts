// Installs, upgrades and uninstalls the chart of an operator with Helm on a real API server.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { Client } from "@homeostat/client";
import { helmPath, type RealCluster, whyNoHelm } from "@homeostat/kube";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { ClusterRole } from "@homeostat/kubernetes/rbac/v1";
import { defineOperator, type Operator, runOperator } from "@homeostat/operator";
import { applied, defineController } from "@homeostat/runtime";
import { defineResource, s } from "@homeostat/schema";
import { reasonToSkip, startCluster } from "../../harness/cluster.ts";

const execute = promisify(execFile);
const need = "apiserver";
const skip = (await whyNoHelm()) ?? (await reasonToSkip({ need })) ?? false;
const crdName = { name: "parks.chart.e2e.example.com" };

/** Two releases of an operator: the second adds a field to its CRD and owns another kind. */
function release(version: "1.0.0" | "2.0.0"): Operator {
  const isSecond = version === "2.0.0";
  const Park = defineResource({
    group: "chart.e2e.example.com",
    version: "v1",
    kind: "Park",
    spec: { trees: s.int(), ...(isSecond && { ponds: s.int().optional() }) },
  });
  const parks = defineController({
    for: Park,
    ...(isSecond && { owns: { gates: applied(Deployment) } }),
    async reconcile() {},
  });
  return defineOperator({ name: "park-operator", version, resources: [Park], controllers: [parks] });
}

describe("a chart on a real API server", { skip }, () => {
  let cluster: RealCluster;
  let client: Client;
  let folder = "";
  let helm = "";
  before(async () => {
    helm = await helmPath({ env: process.env, report: (line) => process.stderr.write(`kube: ${line}\n`) });
    cluster = await startCluster({ need });
    client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath });
    folder = await mkdtemp(join(tmpdir(), "chart-"));
    for (const version of ["1.0.0", "2.0.0"] as const) {
      assert.equal(await runOperator(release(version), { argv: ["chart", join(folder, version)], env: {} }), 0);
    }
  });
  after(async () => {
    client.close();
    await rm(folder, { recursive: true, force: true });
    await cluster.stop();
  });

  const run = (...args: string[]) =>
    execute(helm, [...args, "--namespace", "parks", "--kubeconfig", cluster.kubeconfigPath]);
  const fields = async (): Promise<string[]> => {
    const crd = await client.get(CustomResourceDefinition, crdName);
    const schema = crd?.spec.versions[0]?.schema?.openAPIV3Schema;
    return Object.keys(schema?.properties?.["spec"]?.properties ?? {});
  };

  it("is installed, upgrades its CRDs, and keeps them when it is uninstalled", async () => {
    const installed = await run("install", "parks", join(folder, "1.0.0"), "--create-namespace");
    assert.match(installed.stdout, /park-operator 1\.0\.0 is installed in namespace parks/);
    assert.match(installed.stdout, /kubectl --namespace parks rollout status deployment\/park-operator\n/);
    assert.match(installed.stdout, /kubectl get parks\.chart\.e2e\.example\.com/);
    assert.doesNotMatch(installed.stderr, /warning/i);
    assert.deepEqual(await fields(), ["trees"]);

    await run("upgrade", "parks", join(folder, "2.0.0"), "--set", "replicas=3");
    assert.deepEqual(await fields(), ["ponds", "trees"]);
    const deployment = await client.get(Deployment, { namespace: "parks", name: "park-operator" });
    assert.equal(deployment?.spec.replicas, 3);
    assert.equal(deployment?.spec.template.spec?.containers[0]?.image, "park-operator:2.0.0");
    const role = await client.get(ClusterRole, { name: "park-operator" });
    assert.ok(role?.rules?.some(({ resources }) => resources?.includes("deployments")));

    await run("uninstall", "parks");
    assert.equal(await client.get(ClusterRole, { name: "park-operator" }), undefined);
    assert.deepEqual(await fields(), ["ponds", "trees"]);
  });
});
