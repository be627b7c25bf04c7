import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Secret } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { Bench, conditionOf } from "../testing/bench.ts";

const basics = [
  "ConfigMap acme-redis-config",
  "Deployment acme-server",
  "NetworkPolicy allow-dns-egress",
  "NetworkPolicy allow-internal-traffic",
  "NetworkPolicy default-deny-all",
  "Secret acme-redis-auth",
  "Service acme-redis",
  "Service acme-server",
  "ServiceAccount acme-redis",
  "ServiceAccount acme-server",
  "StatefulSet acme-redis",
];

/** The tests run in order on one tenant. */
describe("the life of a tenant", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;
  before(async () => {
    bench = await Bench.start();
    operator = await bench.run();
  });
  after(async () => {
    await operator.stop();
    await bench[Symbol.asyncDispose]();
  });

  const server = (): Promise<Deployment> => bench.object(Deployment, "tenant-acme", "acme-server");
  const redis = (): Promise<StatefulSet> => bench.object(StatefulSet, "tenant-acme", "acme-redis");

  it("creates all objects of the basic sample, and is Running when its workloads are ready", async () => {
    const phases: (string | undefined)[] = [];
    const created = await bench.create("acme", { displayName: "Acme" });
    const running = await bench.until("it runs", async () => {
      const tenant = await bench.get("acme");
      if (phases.at(-1) !== tenant.status?.phase) phases.push(tenant.status?.phase);
      return tenant.status?.phase === "Running" && tenant;
    });

    assert.deepEqual(
      phases.filter((phase) => phase !== undefined && phase !== "Pending"),
      ["Provisioning", "Running"],
    );
    assert.deepEqual(await bench.objects("tenant-acme"), basics);
    assert.equal(conditionOf(running, "Ready"), "True TenantReady: Tenant is ready");
    assert.equal(running.status?.namespace, "tenant-acme");
    assert.equal(running.status.urls?.server, "http://acme-server.tenant-acme.svc:3030");
    const reference = {
      apiVersion: "neurallog.io/v1",
      kind: "Tenant",
      name: "acme",
      uid: created.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    };
    const home = await bench.client.get(Namespace, { name: "tenant-acme" });
    for (const object of [
      home,
      await server(),
      await redis(),
      await bench.object(Secret, "tenant-acme", "acme-redis-auth"),
    ]) {
      assert.deepEqual(object?.metadata.ownerReferences, [reference]);
      assert.equal(object.metadata.labels?.["neurallog.io/tenant"], "acme");
      assert.equal(object.metadata.labels["neurallog.io/managed-by"], "tenant-operator");
      assert.equal(object.metadata.annotations?.[annotations.tenantUid], created.metadata.uid);
    }
    assert.equal(home?.metadata.labels?.["pod-security.kubernetes.io/enforce"], "restricted");
  });

  it("records its events in order", async () => {
    await bench.pass(2_000);

    assert.deepEqual(
      (await bench.events("acme")).filter((line) => !line.includes("Degraded")),
      [
        "Normal Created: Created namespace tenant-acme",
        "Normal Created: Created network policy default-deny-all",
        "Normal Created: Created network policy allow-dns-egress",
        "Normal Created: Created network policy allow-internal-traffic",
        "Normal Created: Created Redis ConfigMap",
        "Normal Created: Created Redis Secret",
        "Normal Created: Created Redis Service",
        "Normal Created: Created Redis StatefulSet",
        "Normal Created: Created Server Service",
        "Normal Created: Created Server Deployment",
        "Normal Running: Tenant is running",
      ],
    );
  });

  it("makes no write when nothing changed", async () => {
    await bench.running("acme");
    await bench.pass(2_000);
    const before = operator.writes().length;
    const reads = operator.sent.length;

    await bench.annotate("acme", annotations.reconcileAt, "now");
    await bench.pass(1_000);
    await bench.pass(700_000, 20);

    assert.deepEqual(operator.writes().slice(before), []);
    assert.ok(operator.sent.length > reads, "reconciles read the Secret");
  });
});
