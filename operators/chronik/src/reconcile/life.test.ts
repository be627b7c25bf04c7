import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { labels } from "../api/labels.ts";
import { Bench, conditionOf, namespace } from "../testing/bench.ts";

/** The tests run in order on one cluster. */
describe("the life of a cluster", () => {
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

  it("creates all objects of a minimal cluster, and is Running when its pods are ready", async () => {
    const created = await bench.create("demo", { controllers: 3, ingestNodes: 2 });

    const phases: (string | undefined)[] = [];
    const running = await bench.until("it runs", async () => {
      const cluster = await bench.get("demo");
      if (phases.at(-1) !== cluster.status.phase) phases.push(cluster.status.phase);
      return cluster.status.phase === "Running" && cluster;
    });

    assert.deepEqual(phases, ["Pending", "Creating", "Running"]);
    assert.deepEqual(running.metadata.finalizers, ["chronik.stream/finalizer"]);
    assert.equal(conditionOf(running, "Ready"), "True AllComponentsReady: All Chronik Stream components are running");
    assert.deepEqual(
      running.status.controllers,
      [0, 1, 2].map((i) => `demo-controller-${i}.demo-controller.${namespace}.svc.cluster.local:9090`),
    );
    assert.deepEqual(
      running.status.ingestNodes,
      [0, 1].map((i) => `demo-ingest-${i}.demo-ingest.${namespace}.svc.cluster.local:9092`),
    );
    assert.equal(running.status.bootstrapServers, `demo-ingest-bootstrap.${namespace}.svc.cluster.local:9092`);
    assert.equal(running.status.observedGeneration, 1);
    assert.deepEqual(running.status.summary, { controllers: "3/3", ingestNodes: "2/2", searchNodes: "0/0" });
    assert.equal(running.status.bootstrapped, true);
    const set = await bench.object(StatefulSet, "demo-controller");
    assert.deepEqual(set.metadata.ownerReferences, [
      {
        apiVersion: "chronik.stream/v1alpha1",
        kind: "ChronikCluster",
        name: "demo",
        uid: created.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    assert.deepEqual(await bench.objects("demo"), [
      "ConfigMap demo-config",
      "ConfigMap demo-controller-config",
      "ConfigMap demo-ingest-config",
      "PodDisruptionBudget demo-controller-pdb",
      "PodDisruptionBudget demo-ingest-pdb",
      "Role demo-controller",
      "Role demo-ingest",
      "RoleBinding demo-controller",
      "RoleBinding demo-ingest",
      "Service demo-controller",
      "Service demo-ingest",
      "Service demo-ingest-bootstrap",
      "ServiceAccount demo-controller",
      "ServiceAccount demo-ingest",
      "StatefulSet demo-controller",
      "StatefulSet demo-ingest",
    ]);
  });

  it("records one event about all objects that a reconcile creates, and none about a rollout", async () => {
    const events = await bench.events("demo");

    assert.deepEqual(
      events.filter((event) => event.startsWith("Normal Created")),
      [
        "Normal Created: Created 2 ServiceAccount, 2 Role, 2 RoleBinding, 3 ConfigMap, 3 Service, 2 StatefulSet, 2 PodDisruptionBudget",
      ],
    );
    assert.deepEqual(
      events.filter((event) => event.includes("Rollout") || event.includes("RollingRestart")),
      [],
    );
  });

  it("writes nothing while nothing changes", async () => {
    await bench.pass(120_000);
    const before = operator.writes().length;

    await bench.pass(5 * 66_000, 100);

    assert.deepEqual(operator.writes().slice(before), []);
  });

  it("stops the members in order when it is deleted, and retains the claims", async () => {
    const stopped: string[] = [];

    await bench.client.delete(ChronikCluster, { namespace, name: "demo" });
    await bench.until("the deletion", async () => {
      for (const component of ["ingest", "controller"] as const) {
        const { length } = await bench.pods("demo", component);
        if (length === 0 && !stopped.includes(component)) stopped.push(component);
      }
      return (await bench.client.get(ChronikCluster, { namespace, name: "demo" })) === undefined;
    });

    assert.deepEqual(stopped, ["ingest", "controller"]);
    const claims = await bench.claims("demo");
    assert.ok(claims.length >= 5);
    for (const { metadata } of claims) assert.equal(metadata.labels?.[labels.retainedFrom], "demo");
    await bench.until("no objects", async () => (await bench.objects("demo")).length === 0);
  });
});
