import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Namespace, PersistentVolumeClaim, Secret, Service } from "@homeostat/kubernetes/core/v1";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import type { SentRequest } from "@homeostat/operator-testing";
import { annotations } from "../api/identity.ts";
import { Tenant } from "../api/tenant.ts";
import { Bench, conditionOf } from "../testing/bench.ts";

describe("failures", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;
  let fault: (sent: SentRequest) => number | undefined = () => undefined;
  before(async () => {
    bench = await Bench.start();
    operator = await bench.run({ fault: (request) => fault(request) });
  });
  after(async () => {
    await operator.stop();
    await bench[Symbol.asyncDispose]();
  });

  it("an invalid spec is Failed, is not retried, and recovers with the next generation", async () => {
    await bench.create("bad", { redis: { config: { requirepass: "x", include: "/etc/passwd" } } });

    const failed = await bench.phase("bad", "Failed");
    await bench.pass(2_000);
    const before = operator.sent.length;
    await bench.pass(900_000, 10);
    const { length } = operator.sent;
    await bench.change("bad", { redis: { config: null } });
    await bench.phase("bad", "Provisioning");

    assert.match(conditionOf(failed, "Ready") ?? "", /^False InvalidSpec: .*requirepass.*include|include.*requirepass/);
    assert.equal(length, before, "nothing happens until it is changed");
    assert.equal(failed.status?.observedGeneration, 1);
    assert.equal((await bench.events("bad")).filter((line) => line.startsWith("Warning InvalidSpec")).length, 1);
  });

  it("a deletion that a policy denies is retried", async () => {
    let refusals = 0;
    fault = ({ method, path }) => {
      if (method !== "DELETE" || !path.includes("/namespaces/tenant-kept") || refusals >= 8) return undefined;
      refusals += 1;
      return 422;
    };
    await bench.create("kept");
    await bench.running("kept");
    // Only the retry of the tenant may trigger the next reconcile.
    await bench.pass(60_000);

    await bench.client.delete(Tenant, { name: "kept" });
    await bench.untilDeleted("kept");

    assert.equal(refusals, 8);
    assert.equal(await bench.client.get(Namespace, { name: "tenant-kept" }), undefined);
  });

  it("responses 429 and 500, dropped watches and expired versions are recovered from without duplicates", async () => {
    const { watchFaults } = bench.cluster.server;
    let writes = 0;
    fault = ({ method, path }) => {
      if (method !== "POST" || !path.includes("/tenant-rough/")) return undefined;
      writes += 1;
      if (writes === 2) return 429;
      return writes >= 4 && writes <= 6 ? 500 : undefined;
    };
    const before = operator.lines.length;
    await bench.create("rough");
    await bench.until(
      "there is something",
      async () => (await bench.objects("tenant-rough").catch(() => [])).length > 0,
    );
    watchFaults.drop();
    bench.cluster.server.compact();
    watchFaults.expire();
    const running = await bench.running("rough");
    watchFaults.drop();
    await bench.pass(2_000);
    await bench.client.delete(Service, { namespace: "tenant-rough", name: "rough-server" });
    await bench.until("it is back", async () => (await bench.objects("tenant-rough")).includes("Service rough-server"));

    assert.equal(conditionOf(running, "Ready"), "True TenantReady: Tenant is ready");
    assert.equal((await bench.objects("tenant-rough")).length, 11);
    assert.ok(writes > 6, `${writes} writes`);
    assert.ok(operator.lines.slice(before).some(({ message }) => message === "Reconcile failed"));
  });

  it("a missing authSecret delays only the workloads", async () => {
    await bench.create("keyed", { redis: { security: { authSecret: { name: "pw", namespace: "neurallog-system" } } } });
    const waiting = await bench.waitFor(
      "keyed",
      (tenant) => conditionOf(tenant, "RedisReady")?.includes("SecretNotFound") ?? false,
    );
    const objects = await bench.objects("tenant-keyed");
    await bench.namespace("neurallog-system");
    const metadata = {
      namespace: "neurallog-system",
      name: "pw",
      annotations: { [annotations.sharedWithTenants]: "keyed" },
    };
    const data = { password: Buffer.from("a password of theirs".replaceAll(" ", "-")).toString("base64") };
    await bench.client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata, data });
    await bench.running("keyed");

    assert.equal(waiting.status?.phase, "Provisioning");
    assert.ok(objects.includes("NetworkPolicy default-deny-all"));
    assert.ok(!objects.some((each) => each.startsWith("StatefulSet")));
    const own = await bench.object(Secret, "tenant-keyed", "keyed-redis-auth");
    assert.equal(own.data?.["password"], data.password);
  });

  it("a foreign child is not changed, and the others are applied", async () => {
    await bench.create("mixed", { paused: true });
    await bench.waitFor("mixed", (tenant) => tenant.status !== undefined);
    const { uid = "" } = (await bench.get("mixed")).metadata;
    await bench.namespace("tenant-mixed", {
      annotations: { "neurallog.io/tenant-uid": uid },
      labels: { "neurallog.io/managed-by": "tenant-operator", "neurallog.io/tenant": "mixed" },
    });
    const theirs = { namespace: "tenant-mixed", name: "mixed-redis" };
    await bench.client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: theirs,
      spec: { clusterIP: "None", selector: { a: "b" } },
    });
    await bench.change("mixed", { paused: false });
    const failed = await bench.phase("mixed", "Failed");

    assert.match(conditionOf(failed, "RedisReady") ?? "", /^False ResourceConflict: Service tenant-mixed\/mixed-redis/);
    assert.equal(conditionOf(failed, "Ready")?.startsWith("False ResourceConflict"), true);
    assert.deepEqual((await bench.object(Service, "tenant-mixed", "mixed-redis")).spec?.selector, { a: "b" });
    assert.ok((await bench.objects("tenant-mixed")).includes("Deployment mixed-server"));
    await bench.client.delete(Service, theirs);
    await bench.pass(340_000, 10);
    assert.equal(conditionOf(await bench.get("mixed"), "RedisReady")?.includes("ResourceConflict"), false);
  });

  it("an exceeded quota is reported, and quota pressure before it", async () => {
    const resources = { memory: { request: "1Gi", limit: "4Gi" } };
    await bench.create("tight", { resources: { ...resources, cpu: { request: "500m", limit: "800m" } } });
    const running = await bench.running("tight");
    const pressed = await bench.waitFor(
      "tight",
      (tenant) => conditionOf(tenant, "QuotaPressure")?.startsWith("True") ?? false,
    );
    await bench.create("small", { resources: { ...resources, cpu: { request: "400m", limit: "400m" } } });
    const failed = await bench.phase("small", "Failed");
    const used = operator.metric("neurallog_tenant_quota_used_ratio", { tenant: "tight", resource: "limits.cpu" });
    await bench.client.delete(Tenant, { name: "tight" });
    await bench.untilDeleted("tight");

    assert.equal(
      conditionOf(pressed, "QuotaPressure"),
      "True AboveThreshold: Usage is above 90% of the quota: limits.cpu 100%",
    );
    assert.equal(running.status?.phase, "Running");
    assert.match(conditionOf(failed, "ServerReady") ?? "", /^False QuotaExceeded: .*exceeded quota/);
    assert.equal(used, 1);
    assert.equal(operator.metric("neurallog_tenant_quota_used_ratio", { tenant: "tight" }), undefined);
  });

  it("storage grows when the class allows it, and never shrinks", async () => {
    await bench.create("grow");
    await bench.running("grow");
    const namespace = "tenant-grow";
    const claim = { namespace, name: "redis-data-grow-redis-0" };
    const request = async (): Promise<unknown> =>
      (await bench.client.get(PersistentVolumeClaim, claim))?.spec?.resources?.requests?.["storage"];
    const bind = async (storage: string): Promise<void> => {
      const status = { phase: "Bound" as const, capacity: { storage } };
      await bench.client.patch(PersistentVolumeClaim, claim, { merge: { status } }, { subresource: "status" });
    };
    const setClass = async (allowVolumeExpansion: boolean): Promise<void> => {
      const metadata = { name: "standard" };
      const kind = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" } as const;
      const { items } = await bench.client.list(StorageClass);
      for (const { metadata: each } of items) await bench.client.delete(StorageClass, { name: each.name ?? "" });
      await bench.client.create(StorageClass, { ...kind, metadata, provisioner: "x", allowVolumeExpansion });
      await bench.client
        .patch(PersistentVolumeClaim, claim, { merge: { spec: { storageClassName: "standard" } } })
        .catch(() => undefined);
    };
    // The simulated provisioner would expand the volume between two polls of the test, before it reads the reason Resizing.
    // Without these annotations no provisioner is responsible for the claim, and the test alone changes its capacity.
    const released = {
      "volume.kubernetes.io/storage-provisioner": null,
      "volume.beta.kubernetes.io/storage-provisioner": null,
    };
    await bench.client.patch(PersistentVolumeClaim, claim, { merge: { metadata: { annotations: released } } });
    await bind("1Gi");
    await setClass(false);
    await bench.change("grow", { redis: { storage: "2Gi" } });
    const refused = await bench.waitFor(
      "grow",
      (tenant) => conditionOf(tenant, "StorageResized")?.startsWith("False") ?? false,
    );
    const kept = await request();
    await setClass(true);
    await bench.annotate("grow", "tenant.neurallog.io/reconcile-at", "1");
    await bench.waitFor("grow", (tenant) => conditionOf(tenant, "StorageResized")?.includes("Resizing") ?? false);
    const asked = await request();
    await bind("2Gi");
    const resized = await bench
      .running("grow")
      .then(() =>
        bench.waitFor("grow", (tenant) => conditionOf(tenant, "StorageResized")?.startsWith("True") ?? false),
      );
    const template = (await bench.object(StatefulSet, namespace, "grow-redis")).spec?.volumeClaimTemplates?.[0];
    await bench.change("grow", { redis: { storage: "1Gi" } });
    const shrunk = await bench.waitFor(
      "grow",
      (tenant) => conditionOf(tenant, "StorageResized")?.includes("Shrink") ?? false,
    );

    assert.match(conditionOf(refused, "StorageResized") ?? "", /^False ExpansionNotSupported/);
    assert.deepEqual([kept, asked], ["1Gi", "2Gi"]);
    assert.equal(refused.status?.phase, "Running");
    assert.ok(resized);
    assert.equal(template?.spec?.resources?.requests?.["storage"], "2Gi");
    assert.equal(await request(), "2Gi");
    assert.equal(shrunk.status?.phase, "Running");
  });
});
