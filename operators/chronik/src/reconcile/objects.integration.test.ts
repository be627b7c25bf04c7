import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, Namespace, PersistentVolumeClaim, Pod, Service } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/annotations.ts";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { Bench, conditionOf, namespace } from "../testing/bench.ts";

describe("the objects of a cluster", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;
  before(async () => {
    bench = await Bench.start();
    operator = await bench.run();
    await bench.create("one", { controllers: 1, ingestNodes: 1 });
    await bench.running("one");
  });
  after(async () => {
    await operator.stop();
    await bench[Symbol.asyncDispose]();
  });

  const service = (name: string): Promise<Service> => bench.object(Service, name);

  it("are created again without restarting pods when an immutable field of a StatefulSet differs", async () => {
    const key = { namespace, name: "one-ingest" };
    const { metadata, spec } = await bench.object(StatefulSet, "one-ingest");
    const before = await bench.uids("one");
    assert.ok(spec !== undefined);

    await bench.annotate("one", annotations.pause, "true");
    await bench.client.delete(StatefulSet, key, { propagation: "Orphan" });
    await bench.until("no StatefulSet", async () => (await bench.client.get(StatefulSet, key)) === undefined);
    const { labels: marks, annotations: notes, ownerReferences } = metadata;
    await bench.client.create(StatefulSet, {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: {
        ...key,
        labels: { ...marks },
        annotations: { ...notes },
        ownerReferences: [...(ownerReferences ?? [])],
      },
      spec: { ...spec, podManagementPolicy: "OrderedReady", serviceName: "other" },
    });
    // The garbage collector orphans the pods that it knows as dependents. It learns of an adoption by its watch.
    await bench.until("the adoption of the pod", async () => {
      const made = await bench.client.get(StatefulSet, key);
      const pod = await bench.object(Pod, "one-ingest-0");
      return pod.metadata.ownerReferences?.some(({ uid }) => uid === made?.metadata.uid) === true;
    });
    await bench.pass(2_000);
    await bench.annotate("one", annotations.pause, null);
    const set = await bench.until("the desired fields", async () => {
      const found = await bench.client.get(StatefulSet, key);
      return found?.spec?.podManagementPolicy === "Parallel" && found;
    });
    const running = await bench.running("one");

    assert.ok((await bench.events("one")).some((event) => event.startsWith("Normal StatefulSetRecreated")));
    assert.deepEqual(running.status.rollout?.reasons, undefined);
    assert.equal(set.spec?.serviceName, "one-ingest");
    assert.deepEqual(await bench.uids("one"), before);
  });

  it("are created again when a Service has to become headless", async () => {
    const { metadata, spec } = await service("one-ingest");
    const { labels: marks, annotations: notes, ownerReferences, uid } = metadata;
    await bench.annotate("one", annotations.pause, "true");
    await bench.client.delete(Service, { namespace, name: "one-ingest" });
    await bench.client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: {
        namespace,
        name: "one-ingest",
        labels: { ...marks },
        annotations: { ...notes },
        ownerReferences: [...(ownerReferences ?? [])],
      },
      spec: { selector: { ...spec?.selector }, ports: [{ name: "kafka", port: 9092 }] },
    });
    await bench.annotate("one", annotations.pause, null);
    const found = await bench.until("a headless Service", async () => {
      const live = await bench.client.get(Service, { namespace, name: "one-ingest" });
      return live?.spec?.clusterIP === "None" && live;
    });

    assert.notEqual(found.metadata.uid, uid);
    assert.ok((await bench.events("one")).some((event) => event.startsWith("Normal ServiceRecreated")));
  });

  it("are corrected when another client changes or deletes them", async () => {
    const image = (await bench.object(StatefulSet, "one-ingest")).spec?.template.spec?.containers[0]?.image;

    await bench.client.delete(ConfigMap, { namespace, name: "one-config" });
    const ports = [{ name: "kafka", port: 1234, targetPort: 1234, protocol: "TCP" as const }];
    await bench.client.patch(Service, { namespace, name: "one-ingest-bootstrap" }, { merge: { spec: { ports } } });
    await bench.client.patch(
      StatefulSet,
      { namespace, name: "one-ingest" },
      { json: [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: "chronik/ingest:other" }] },
    );
    await bench.until("all corrections", async () => {
      const config = await bench.client.get(ConfigMap, { namespace, name: "one-config" });
      const set = await bench.object(StatefulSet, "one-ingest");
      const port = (await service("one-ingest-bootstrap")).spec?.ports?.map(({ port: number }) => number);
      const isSame = set.spec?.template.spec?.containers[0]?.image === image;
      return config !== undefined && isSame && port?.includes(9092) === true && !port.includes(1234);
    });
    await bench.running("one");

    const events = await bench.events("one");
    assert.ok(
      events.some((event) => event.includes("DriftCorrected")),
      events.join("\n"),
    );
    assert.ok((operator.metric("chronik_operator_drift_corrections_total", { kind: "Service" }) ?? 0) >= 1);
  });

  it("keep labels and annotations of other clients", async () => {
    const metadata = { annotations: { "example.com/note": "x" }, labels: { "example.com/team": "a" } };
    await bench.client.patch(Service, { namespace, name: "one-ingest" }, { merge: { metadata } });

    await bench.annotate("one", annotations.reconcileAt, "1");
    await bench.pass(90_000);

    const { metadata: found } = await service("one-ingest");
    assert.equal(found.annotations?.["example.com/note"], "x");
    assert.equal(found.labels?.["example.com/team"], "a");
  });

  it("stay as they are while reconciliation is paused", async () => {
    await bench.annotate("one", annotations.pause, "true");
    await bench.waitFor("one", (cluster) => conditionOf(cluster, "ReconciliationPaused")?.startsWith("True") === true);
    const before = (await bench.object(ConfigMap, "one-config")).metadata.resourceVersion;

    await bench.change("one", { config: { common: { paused: "yes" } } });
    await bench.pass(60_000);
    const during = (await bench.object(ConfigMap, "one-config")).metadata.resourceVersion;
    await bench.client.patch(StatefulSet, { namespace, name: "one-ingest" }, { merge: { spec: { replicas: 2 } } });
    await bench.waitFor("one", ({ status }) => status.replicas?.ingestNodes === 2, "the counts of a paused cluster");
    await bench.annotate("one", annotations.pause, null);
    const running = await bench.running("one");

    assert.equal(during, before);
    assert.equal((await bench.object(ConfigMap, "one-config")).data?.["extra.paused"], "yes");
    assert.equal(conditionOf(running, "ReconciliationPaused"), undefined);
    assert.equal(running.status.replicas?.ingestNodes, 1);
  });

  it("of another owner are not touched until the user allows their adoption", async () => {
    await bench.client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace, name: "two-ingest" },
      spec: { clusterIP: "None", selector: { app: "other" }, ports: [{ port: 9092 }] },
    });
    await bench.create("two", { controllers: 1, ingestNodes: 1 });

    const failed = await bench.phase("two", "Failed");
    const before = (await service("two-ingest")).spec?.selector;
    const merge = { metadata: { annotations: { [annotations.adopt]: "two" } } };
    await bench.client.patch(Service, { namespace, name: "two-ingest" }, { merge });
    const annotatedAt = bench.clock.now();
    await bench.annotate("two", annotations.reconcileAt, "1");
    await bench.running("two");

    // The annotation ends the wait of five minutes or more.
    assert.ok(bench.clock.now() - annotatedAt < 60_000);
    assert.deepEqual(before, { app: "other" });
    assert.equal(failed.status.lastError?.reason, "ResourceConflict");
    assert.equal(failed.status.lastError.class, "Permanent");
    assert.equal((await bench.get("two")).status.lastError, undefined);
  });

  it("scale through the scale subresource", async () => {
    await bench.client.raw({
      method: "PATCH",
      path: `/apis/chronik.stream/v1alpha1/namespaces/${namespace}/chronikclusters/one/scale`,
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ spec: { replicas: 2 } }),
    });
    const { spec, status } = await bench.running("one");

    assert.equal(spec.ingestNodes, 2);
    assert.equal(status.replicas?.ingestNodes, 2);
    assert.match(status.selector ?? "", /app\.kubernetes\.io\/component=ingest/);
  });

  it("refuse a smaller volume size and another storage class", async () => {
    await assert.rejects(bench.change("one", { storage: { size: "1Gi" } }), /storage/);
    await assert.rejects(bench.change("one", { storage: { storageClass: "other" } }), /storageClass/);
  });

  it("show warnings about the spec in the status", async () => {
    await bench.create("even", { controllers: 2, ingestNodes: 1 });
    const { status } = await bench.running("even");

    assert.ok(status.warnings?.some(({ reason }) => reason === "EvenControllerCount"));
  });

  it("keep running while deletion is protected, and are deleted with their claims without protection", async () => {
    await bench.client.patch(
      ChronikCluster,
      { namespace, name: "even" },
      {
        merge: {
          metadata: { finalizers: ["chronik.stream/finalizer", "example.com/other"] },
          spec: { deletion: { protection: true }, storage: { retentionPolicy: { whenDeleted: "Delete" } } },
        },
      },
    );
    await bench.client.delete(ChronikCluster, { namespace, name: "even" });
    await bench.waitFor("even", (cluster) => conditionOf(cluster, "DeletionBlocked")?.startsWith("True") === true);
    await bench.pass(30_000);
    const protectedPods = (await bench.pods("even", "controller")).length;

    await bench.change("even", { deletion: { protection: false } });
    const left = await bench.waitFor("even", ({ metadata }) => metadata.finalizers?.length === 1);
    const claims = await bench.claims("even");
    await bench.client.patch(
      ChronikCluster,
      { namespace, name: "even" },
      { merge: { metadata: { finalizers: null } } },
    );
    await bench.untilDeleted("even");

    assert.equal(protectedPods, 2);
    assert.deepEqual(left.metadata.finalizers, ["example.com/other"]);
    assert.deepEqual(
      claims.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
      [],
    );
  });

  it("leave a hand-grown claim alone", async () => {
    const merge = { spec: { resources: { requests: { storage: "50Gi" } } } };
    await bench.client.patch(PersistentVolumeClaim, { namespace, name: "data-one-ingest-0" }, { merge });

    const { status } = await bench.waitFor("one", (cluster) => cluster.status.storage?.larger?.length === 1);
    await bench.running("one");

    assert.deepEqual(status.storage?.larger, ["data-one-ingest-0"]);
  });

  it("do not block the deletion of their namespace", async () => {
    await bench.client.delete(Namespace, { name: namespace });

    await bench.until(
      "the namespace is gone",
      async () => (await bench.client.get(Namespace, { name: namespace })) === undefined,
    );
  });
});
