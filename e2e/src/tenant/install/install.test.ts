// The operator in a cluster: installed by its chart and by its manifests, under exactly its rights, with two replicas.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { Client } from "@homeostat/client";
import { helmPath, type RealCluster, whyNoHelm } from "@homeostat/kube";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Lease } from "@homeostat/kubernetes/coordination/v1";
import { Namespace, Pod, Service } from "@homeostat/kubernetes/core/v1";
import { names, namespaceOf, Tenant, type TenantInput } from "@homeostat/tenant-operator";
import { reasonToSkip, startCluster } from "../../harness/cluster.ts";
import { Installed } from "../../harness/installed.ts";
import { importOperatorImage, operatorImage } from "../../harness/operator-image.ts";
import { importImages } from "../real/images.ts";
import { imagesOfHere } from "../real/place.ts";

const run = promisify(execFile);
const need = "node";
const skip = (await whyNoHelm()) ?? (await reasonToSkip({ need })) ?? false;
const system = "neurallog-system";
const operator = "neurallog-operator";
const leaseName = "neurallog-operator.neurallog.io";
const image = operatorImage("tenant");

// There is nobody here who would make volumes.
const spec: TenantInput["spec"] = {
  server: imagesOfHere.server,
  redis: { ...imagesOfHere.redis, persistence: { enabled: false } },
};

describe("the Tenant operator in a real cluster", { skip, timeout: 900_000 }, () => {
  let cluster: RealCluster;
  let client: Client;
  let installed: Installed;
  let helm = "";
  let folder = "";

  before(async () => {
    const report = (line: string): void => void process.stderr.write(`kube: ${line}\n`);
    helm = await helmPath({ env: process.env, report });
    cluster = await startCluster({ need });
    await importImages(cluster.kubeconfigPath);
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

  it("is installed by its chart, serves its webhooks, and holds a tenant although its leader is killed", async () => {
    const chart = join(folder, "chart");
    const values = join(folder, "values.json");
    await run(process.execPath, [image.program, "chart", chart]);
    const { repository, tag } = image;
    await writeFile(values, JSON.stringify({ image: { repository, tag, pullPolicy: "IfNotPresent" } }));
    const at = ["--namespace", system, "--kubeconfig", cluster.kubeconfigPath];
    await run(helm, ["install", operator, chart, "--create-namespace", "--values", values, ...at]);
    await untilAvailable();

    await refusesWhatIsWrong();
    await create("acme");
    await untilRunning("acme");
    await survivesItsLeader("acme");
    await keepsItsNamespace("acme");
    await goesWithItsNamespace("acme");
    await nothingWasForbidden();
    await run(helm, ["uninstall", operator, "--wait", ...at]);
  });

  it("is installed by its manifests, and works under exactly their rights", async () => {
    const flags = ["--image", image.name, "--image-pull-policy", "IfNotPresent", "--namespace", system];
    const { stdout } = await run(process.execPath, [image.program, "manifests", ...flags], { maxBuffer: 1 << 26 });
    const file = join(folder, "manifests.yaml");
    await writeFile(file, stdout);
    await installed.ask("apply", "--server-side", "--force-conflicts", "-f", file);
    await untilAvailable();

    await create("globex");
    const tenant = await untilRunning("globex");

    assert.equal(tenant.status?.conditions?.find(({ type }) => type === "Ready")?.reason, "TenantReady");
    await goesWithItsNamespace("globex");
    await nothingWasForbidden();
  });

  async function untilAvailable(): Promise<void> {
    await installed.eventually("the operator's replicas", async () => {
      const deployment = await client.get(Deployment, { namespace: system, name: operator });
      return deployment?.status?.availableReplicas === 2 ? deployment : undefined;
    });
  }

  async function refusesWhatIsWrong(): Promise<void> {
    const wrong = { ...spec, server: { ...spec?.server, env: [{ name: "PORT", value: "1" }] } };
    await installed.eventually("a refusal in words", async () => {
      const problem = await post("wrong", { ...wrong, networkPolicy: { allowedNamespaces: ["Not_A_Name"] } });
      assert.notEqual(problem, "", "it was taken");
      return /PORT/.test(problem) && /Not_A_Name/.test(problem) ? problem : undefined;
    });
  }

  async function create(name: string): Promise<void> {
    await installed.eventually("the webhook", async () => ((await post(name, spec)) === "" ? true : undefined));
  }

  /** Creates a tenant; returns what the server has against it. */
  async function post(name: string, wanted: object | undefined): Promise<string> {
    const body = JSON.stringify({
      apiVersion: "neurallog.io/v1",
      kind: "Tenant",
      metadata: { name },
      spec: wanted,
    });
    const headers = { "content-type": "application/json" };
    try {
      (await client.raw({ method: "POST", path: "/apis/neurallog.io/v1/tenants", headers, body })).body.cancel();
      return "";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async function untilRunning(name: string): Promise<Tenant> {
    return installed.eventually(`${name} to run`, async () => {
      const tenant = await client.get(Tenant, { name });
      return tenant?.status?.phase === "Running" ? tenant : undefined;
    });
  }

  /** The pod that leads is killed, and then something of the tenant is taken away: the other one puts it right. */
  async function survivesItsLeader(name: string): Promise<void> {
    const namespace = namespaceOf(name);
    const set = await client.get(StatefulSet, { namespace, name: names.redis(name) });
    const lease = await client.get(Lease, { namespace: system, name: leaseName });
    const [leader = ""] = lease?.spec?.holderIdentity?.split("_") ?? [];
    await client.delete(Pod, { namespace: system, name: leader }, { gracePeriodSeconds: 0 });
    // A pod that is killed goes on for a moment, and works.
    await installed.eventually("another leader", async () => {
      const { holderIdentity = "" } = (await client.get(Lease, { namespace: system, name: leaseName }))?.spec ?? {};
      return holderIdentity !== "" && holderIdentity !== lease?.spec?.holderIdentity ? holderIdentity : undefined;
    });
    await client.delete(Service, { namespace, name: names.server(name) });
    await installed.eventually("the Service to be back", () =>
      client.get(Service, { namespace, name: names.server(name) }),
    );
    const same = await client.get(StatefulSet, { namespace, name: names.redis(name) });
    assert.equal(same?.metadata.uid, set?.metadata.uid, "Redis was made twice");
    assert.equal(same?.metadata.generation, set?.metadata.generation, "Redis was written again");
  }

  /** Who may delete any namespace may still not delete that of a tenant. */
  async function keepsItsNamespace(name: string): Promise<void> {
    await installed.ask("create", "clusterrolebinding", "eve", "--clusterrole=cluster-admin", "--user=eve");
    const problem = await installed.ask("delete", "namespace", namespaceOf(name), "--as=eve").then(
      () => "it was deleted",
      (error: unknown) => String(error),
    );
    assert.match(problem, /the namespace of a tenant goes with its tenant/);
  }

  async function goesWithItsNamespace(name: string): Promise<void> {
    await client.delete(Tenant, { name });
    await installed.eventually(`${name} to be gone`, async () =>
      (await client.get(Tenant, { name })) === undefined ? true : undefined,
    );
    assert.equal(await client.get(Namespace, { name: namespaceOf(name) }), undefined);
  }

  async function nothingWasForbidden(): Promise<void> {
    // A policy may be against something for a moment; rights are there or not.
    assert.doesNotMatch(await installed.told(), /is forbidden: User /);
  }
});
