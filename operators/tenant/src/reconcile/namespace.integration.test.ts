import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ConfigMap, Namespace } from "@homeostat/kubernetes/core/v1";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import type { SentRequest } from "@homeostat/operator-testing";
import { annotations, labels, manager } from "../api/identity.ts";
import { Tenant } from "../api/tenant.ts";
import { Bench, conditionOf } from "../testing/bench.ts";

describe("the namespace of a tenant", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;
  let onWrite: (sent: SentRequest) => Promise<void> = async () => undefined;
  before(async () => {
    bench = await Bench.start();
    operator = await bench.run({ onWrite: (sent) => onWrite(sent) });
  });
  after(async () => {
    await operator.stop();
    await bench[Symbol.asyncDispose]();
  });

  const find = (name: string): Promise<Namespace | undefined> => bench.client.get(Namespace, { name });
  /** Waits until a tenant has all objects except pods. */
  const built = (name: string): Promise<Tenant> => bench.phase(name, "Provisioning");

  it("is never taken over without consent, whatever its labels", async () => {
    const mine = { labels: { [labels.tenant]: "taken", [labels.managedBy]: manager } };
    const made = await bench.namespace("tenant-taken", mine);
    await bench.create("taken");

    const failed = await bench.phase("taken", "Failed");
    await bench.pass(400_000, 5);
    const before = operator.sent.length;
    await bench.pass(400_000, 5);
    const after = operator.sent.length;
    const left = await find("tenant-taken");
    const objects = await bench.objects("tenant-taken");
    await bench.client.delete(Tenant, { name: "taken" });
    await bench.untilDeleted("taken");

    const text = 'namespace "tenant-taken" already exists and is not owned by this Tenant';
    assert.equal(failed.status?.message, text);
    assert.equal(conditionOf(failed, "Ready"), `False NamespaceConflict: ${text}`);
    assert.equal(after, before, "it is waited for by the watch alone");
    assert.equal(left?.metadata.resourceVersion, (await find("tenant-taken"))?.metadata.resourceVersion);
    assert.deepEqual([left?.metadata.labels?.[labels.tenant], left?.metadata.uid], ["taken", made.metadata.uid]);
    assert.deepEqual(objects, []);
    await bench.pass(2_000);
    assert.ok((await bench.events("taken")).includes(`Warning NamespaceConflict: ${text}`));
  });

  it("is created within seconds when the foreign one is deleted", async () => {
    await bench.namespace("tenant-waits");
    await bench.create("waits");
    await bench.phase("waits", "Failed");

    await bench.client.delete(Namespace, { name: "tenant-waits" });
    const began = bench.clock.now();
    await built("waits");

    assert.ok(bench.clock.now() - began < 15_000, `${bench.clock.now() - began} ms`);
  });

  it("is adopted by consent, and only the children are deleted with the tenant", async () => {
    await bench.namespace("tenant-given", {
      annotations: { [annotations.allowAdoption]: "given" },
      labels: { team: "x" },
    });
    await bench.client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "tenant-given", name: "theirs" },
    });
    await bench.create("given");
    await built("given");
    const adopted = await find("tenant-given");
    await bench.client.delete(Tenant, { name: "given" });
    await bench.untilDeleted("given");
    await bench.pass(2_000);

    const left = await find("tenant-given");
    assert.equal(adopted?.metadata.annotations?.[annotations.adopted], "true");
    assert.equal(adopted.metadata.ownerReferences, undefined);
    assert.equal(left?.metadata.deletionTimestamp, undefined);
    assert.deepEqual(await bench.objects("tenant-given"), ["ConfigMap theirs"]);
    assert.deepEqual(left?.metadata.labels, { team: "x", "kubernetes.io/metadata.name": "tenant-given" });
    assert.deepEqual(left.metadata.annotations, { [annotations.allowAdoption]: "given" });
  });

  it("has the labels of namespaceMetadata, and loses removed ones", async () => {
    await bench.create("marked", { namespaceMetadata: { labels: { team: "x" }, annotations: { note: "y" } } });
    await built("marked");
    const before = await find("tenant-marked");
    await bench.change("marked", { namespaceMetadata: null });
    await bench.waitFor("marked", ({ metadata, status }) => status?.observedGeneration === metadata.generation);

    const after = await find("tenant-marked");
    assert.deepEqual([before?.metadata.labels?.["team"], before?.metadata.annotations?.["note"]], ["x", "y"]);
    assert.deepEqual([after?.metadata.labels?.["team"], after?.metadata.annotations?.["note"]], [undefined, undefined]);
    assert.equal(after?.metadata.annotations?.[annotations.managedKeys], undefined);
  });

  it("with the label of another tenant is reported and not changed", async () => {
    await bench.namespace("elsewhere", { labels: { [labels.tenant]: "marked" } });
    await bench.pass(2_000);

    assert.ok(
      (await bench.events("marked")).some((line) => line.startsWith("Warning ForeignTenantLabel: Namespace elsewhere")),
    );
  });

  it("is recreated after its deletion, and the data loss is reported", async () => {
    const old = await find("tenant-marked");
    await bench.client.delete(Namespace, { name: "tenant-marked" });
    const pending = await bench.waitFor(
      "marked",
      (tenant) => conditionOf(tenant, "NamespaceReady")?.includes("NamespaceTerminating") ?? false,
    );
    await built("marked");

    assert.match(pending.status?.message ?? "", /all data/);
    assert.notEqual((await find("tenant-marked"))?.metadata.uid, old?.metadata.uid);
    assert.ok((await bench.objects("tenant-marked")).includes("NetworkPolicy default-deny-all"));
  });

  it("is deleted before the finalizer is removed; blockers are reported; a new tenant waits for the old namespace", async () => {
    await bench.create("slow");
    await built("slow");
    const held = { namespace: "tenant-slow", name: "held", finalizers: ["example.com/hold"] };
    await bench.client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: held });
    const old = await find("tenant-slow");
    await bench.client.delete(Tenant, { name: "slow" });
    const waiting = await bench.waitFor("slow", ({ status }) => /hold/.test(status?.message ?? ""), "what holds it");
    await bench.pass(660_000, 30);
    const stuck = await bench.get("slow");
    // A user removes the finalizers of the tenant and creates it again.
    await bench.client.patch(Tenant, { name: "slow" }, { merge: { metadata: { finalizers: null } } });
    await bench.untilDeleted("slow");
    await bench.create("slow");
    const second = await bench.waitFor(
      "slow",
      (tenant) => conditionOf(tenant, "NamespaceReady")?.includes("NamespaceTerminating") ?? false,
    );
    await bench.client.patch(ConfigMap, held, { merge: { metadata: { finalizers: null } } });
    await built("slow");

    assert.equal(waiting.status?.phase, "Terminating");
    assert.match(
      conditionOf(waiting, "Terminating") ?? "",
      /^True WaitingForNamespace: Waiting for namespace tenant-slow to be deleted: /,
    );
    assert.match(conditionOf(stuck, "Terminating") ?? "", /^True NamespaceStuck/);
    assert.equal(second.status?.phase, "Pending");
    assert.notEqual((await find("tenant-slow"))?.metadata.uid, old?.metadata.uid);
  });

  it("that replaced the observed one is saved by the UID precondition", async () => {
    await bench.create("swapped");
    await built("swapped");
    let deletions = 0;
    onWrite = async ({ method, path }) => {
      if (method !== "DELETE" || !path.includes("/namespaces/tenant-swapped")) return;
      deletions += 1;
      if (deletions > 1) return;
      await bench.dropNamespace("tenant-swapped");
      await bench.namespace("tenant-swapped", { labels: { new: "one" } });
    };
    await bench.client.delete(Tenant, { name: "swapped" });
    await bench.untilDeleted("swapped");
    onWrite = async () => undefined;

    const left = await find("tenant-swapped");
    assert.equal(deletions, 1);
    assert.deepEqual([left?.metadata.labels?.["new"], left?.metadata.deletionTimestamp], ["one", undefined]);
  });

  it("is retained without owner references by policy or orphan propagation", async () => {
    await bench.create("kept", { deletionPolicy: "Retain" });
    await bench.create("orphan");
    await built("kept");
    await built("orphan");
    const refers = async (name: string): Promise<readonly string[]> => {
      const found = [
        await find(name),
        await bench.object(ConfigMap, name, `${name.slice("tenant-".length)}-redis-config`),
      ];
      return found.flatMap((object) => object?.metadata.ownerReferences ?? []).map(({ kind }) => kind);
    };
    const before = await refers("tenant-kept");
    await bench.client.delete(Tenant, { name: "kept" });
    await bench.client.delete(Tenant, { name: "orphan" }, { propagation: "Orphan" });
    await bench.untilDeleted("kept");
    await bench.untilDeleted("orphan");
    await bench.pass(30_000, 10);

    assert.deepEqual(before, []);
    for (const name of ["tenant-kept", "tenant-orphan"]) {
      assert.equal((await find(name))?.metadata.deletionTimestamp, undefined);
      assert.deepEqual(await refers(name), []);
      assert.equal((await bench.objects(name)).length, 11);
    }
    assert.ok((await bench.events("kept")).some((line) => line.startsWith("Normal NamespaceRetained")));
  });

  it("loses and regains owner references with the deletion policy", async () => {
    await bench.create("fickle");
    await built("fickle");
    const count = async (): Promise<number> => {
      const home = await find("tenant-fickle");
      const config = await bench.object(ConfigMap, "tenant-fickle", "fickle-redis-config");
      return (home?.metadata.ownerReferences ?? []).length + (config.metadata.ownerReferences ?? []).length;
    };
    const seen: number[] = [await count()];
    for (const deletionPolicy of ["Retain", "Delete"]) {
      await bench.change("fickle", { deletionPolicy });
      await bench.waitFor("fickle", ({ metadata, status }) => status?.observedGeneration === metadata.generation);
      seen.push(await count());
    }

    assert.deepEqual(seen, [2, 0, 2]);
  });

  it("of a tenant with the legacy finalizer gets the new one", async () => {
    await bench.create("legacy");
    await built("legacy");
    await bench.client.patch(
      Tenant,
      { name: "legacy" },
      { merge: { metadata: { finalizers: ["neurallog.io/finalizer"] } } },
    );

    const replaced = await bench.waitFor(
      "legacy",
      ({ metadata }) => metadata.finalizers?.[0] === "tenant.neurallog.io/finalizer",
    );

    assert.deepEqual(replaced.metadata.finalizers, ["tenant.neurallog.io/finalizer"]);
  });

  it("is retained when the CRD is deleted", async () => {
    await bench.create("last");
    await built("last");
    await bench.client.delete(CustomResourceDefinition, { name: "tenants.neurallog.io" });
    await bench.until(
      "the CRD is deleted",
      async () => (await bench.client.get(CustomResourceDefinition, { name: "tenants.neurallog.io" })) === undefined,
    );
    await bench.pass(30_000, 10);

    assert.equal((await find("tenant-last"))?.metadata.deletionTimestamp, undefined);
    assert.equal((await find("tenant-last"))?.metadata.ownerReferences, undefined);
    assert.equal((await bench.objects("tenant-last")).length, 11);
  });
});
