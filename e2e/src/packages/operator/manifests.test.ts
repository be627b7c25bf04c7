// The plain manifests of an operator on a real API server.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { Client } from "@homeostat/client";
import { kubectl, type RealCluster } from "@homeostat/kube";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Pod } from "@homeostat/kubernetes/core/v1";
import { type ManifestOptions, operatorManifests, runOperator } from "@homeostat/operator";
import { reasonToSkip, startCluster } from "../../harness/cluster.ts";
import { applyObject, eventually, install } from "./installed.ts";
import { siteOperator } from "./sites.ts";

const execute = promisify(execFile);
const need = "apiserver";
const skip = (await reasonToSkip({ need })) ?? false;

describe("the manifests of an operator on a real API server", { skip }, () => {
  let cluster: RealCluster;
  let client: Client;
  let folder = "";
  const warnings: string[] = [];
  const options: ManifestOptions = { namespace: "manifests", userRoles: true };

  before(async () => {
    cluster = await startCluster({ need });
    folder = await mkdtemp(join(tmpdir(), "manifests-"));
    client = await Client.fromKubeconfig({
      file: cluster.kubeconfigPath,
      defaults: { fieldValidation: "Strict" },
      onWarning: ({ text }) => warnings.push(text),
    });
    // The Pod Security warning for a Deployment is not an error; its pods would be denied.
    const labels = {
      "pod-security.kubernetes.io/enforce": "restricted",
      "pod-security.kubernetes.io/warn": "restricted",
    };
    await applyObject(client, { apiVersion: "v1", kind: "Namespace", metadata: { name: "manifests", labels } });
  });
  after(async () => {
    client.close();
    await rm(folder, { recursive: true, force: true });
    await cluster.stop();
  });

  it("are accepted in a dry run, without unknown fields or warnings", async () => {
    const objects = operatorManifests(siteOperator, options);

    const kinds: string[] = [];
    for (const object of objects) kinds.push((await applyObject(client, object, { dryRun: true })).kind);

    assert.deepEqual(
      kinds,
      objects.map(({ kind }) => kind),
    );
    assert.deepEqual(warnings, []);
  });

  it("are accepted twice, and the kinds are served afterwards", async () => {
    await install(client, siteOperator, options);
    await install(client, siteOperator, options);

    assert.deepEqual(warnings, []);
    for (const { plural, group } of siteOperator.resources) {
      await eventually(`${plural} to be served`, async () => {
        const crd = await client.get(CustomResourceDefinition, { name: `${plural}.${group}` });
        return (
          crd?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false
        );
      });
    }
  });

  it("can be applied by kubectl, which then changes nothing", async () => {
    const file = join(folder, "operator.yaml");
    let text = "";
    const argv = ["manifests", "--namespace=manifests", "--user-roles", "--no-create-namespace"];
    const code = await runOperator(siteOperator, { argv, env: {}, stdout: { write: (piece) => (text += piece) } });
    assert.equal(code, 0);
    await writeFile(file, text);
    const program = await kubectl({ report: (line) => process.stderr.write(`kube: ${line}\n`) });

    const flags = [
      "--kubeconfig",
      cluster.kubeconfigPath,
      "--server-side",
      "--field-manager=e2e-install",
      "--dry-run=server",
    ];
    const { stdout, stderr } = await execute(program, ["apply", ...flags, "--validate=strict", "-f", file]);
    const different = await execute(program, ["diff", ...flags.slice(0, 4), "-f", file]);

    assert.equal(stderr, "");
    const objects = operatorManifests(siteOperator, { ...options, createNamespace: false });
    assert.equal(stdout.trim().split("\n").length, objects.length);
    assert.equal(different.stdout, "");
  });

  it("describe pods that the Pod Security level restricted admits, and that level rejects other pods", async () => {
    const deployment = await client.get(Deployment, { namespace: "manifests", name: "site-operator" });
    const { spec } = deployment?.spec.template ?? {};
    assert.ok(spec);
    const pod = (name: string, more: object = {}): Pod => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "manifests", name },
      spec: { ...spec, ...more },
    });

    await client.create(Pod, pod("good"), { dryRun: true });

    await assert.rejects(client.create(Pod, pod("bad", { hostNetwork: true }), { dryRun: true }), /PodSecurity/);
    assert.deepEqual(warnings, []);
    const namespace = await client.get(Namespace, { name: "manifests" });
    assert.equal(namespace?.metadata.labels?.["pod-security.kubernetes.io/enforce"], "restricted");
  });
});
