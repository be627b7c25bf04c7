import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, type Pod } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/annotations.ts";
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

    await bench.pass(20 * 66_000, 400);

    assert.deepEqual(operator.writes().slice(before), []);
  });

  /** Returns the changes of the voters that events report. */
  const memberEvents = async (): Promise<string[]> =>
    (await bench.events("demo")).flatMap((event) => /^Normal MembersChanged: (.*)$/.exec(event)?.[1] ?? []);

  it("restarts controllers one by one with the leader last, then ingest nodes, after a change of the configuration", async () => {
    const { status } = await bench.get("demo");
    const leader = status.quorum?.leader;
    const uids = await bench.uids("demo");
    const order: string[] = [];
    let readyMin = 3;

    await bench.change("demo", { config: { common: { a: "b" } } });
    await bench.until("the rollout", async () => {
      const pods = [...(await bench.pods("demo", "controller")), ...(await bench.pods("demo", "ingest"))];
      for (const { metadata } of pods) {
        const { name = "", uid } = metadata;
        if (uids.get(name) !== uid && !order.includes(name)) order.push(name);
      }
      const ready = (await bench.pods("demo", "controller")).filter(isReady).length;
      readyMin = Math.min(readyMin, ready);
      return order.length === 5;
    });
    const running = await bench.running("demo");

    assert.ok(leader !== undefined);
    assert.equal(order[2], leader);
    assert.deepEqual(order.slice(3), ["demo-ingest-1", "demo-ingest-0"]);
    assert.ok(readyMin >= 2, `${readyMin} controllers were ready`);
    assert.deepEqual(running.status.rollout?.reasons, ["ConfigChanged"]);
    const events = await bench.events("demo");
    assert.equal(events.filter((event) => event.startsWith("Normal RollingRestart")).length, 5);
    assert.ok(events.includes("Normal RolloutComplete: All pods are up to date and ready"));
  });

  it("adds controllers one by one without restarting the others", async () => {
    const uids = await bench.uids("demo");
    const steps: number[] = [];

    await bench.change("demo", { controllers: 5 });
    await bench.until("five controllers", async () => {
      const { spec } = await bench.object(StatefulSet, "demo-controller");
      if (steps.at(-1) !== spec?.replicas) steps.push(spec?.replicas ?? 0);
      const { status, metadata } = await bench.get("demo");
      return status.phase === "Running" && status.observedGeneration === metadata.generation && steps.at(-1) === 5;
    });

    assert.deepEqual(steps, [3, 4, 5]);
    const after = await bench.uids("demo");
    for (const [name, uid] of uids) assert.equal(after.get(name), uid, name);
    assert.equal((await bench.get("demo")).status.quorum?.voters, 5);
    assert.deepEqual(await memberEvents(), ["demo-controller-3 becomes a voter", "demo-controller-4 becomes a voter"]);
  });

  it("removes controllers one by one, and keeps their claims", async () => {
    await bench.change("demo", { controllers: 3 });
    await bench.running("demo");

    const { status } = await bench.get("demo");
    assert.equal(status.quorum?.voters, 3);
    assert.equal(status.scaleDown, undefined);
    assert.deepEqual(
      (await memberEvents()).filter((event) => event.includes("removed")),
      ["voter 5 is removed", "voter 4 is removed"],
    );
    await bench.until("retired claims", async () => {
      const claims = await bench.claims("demo");
      const retired = claims.filter(({ metadata }) => metadata.annotations?.[annotations.retiredAt] !== undefined);
      return retired.length === 2;
    });
  });

  it("grows the volumes without restarting pods", async () => {
    const uids = await bench.uids("demo");

    const quorums = new Set<string | undefined>();
    await bench.change("demo", { storage: { size: "20Gi" } });
    await bench.until("larger claim templates", async () => {
      quorums.add(conditionOf(await bench.get("demo"), "QuorumHealthy"));
      const sizes = await Promise.all(
        ["demo-controller", "demo-ingest"].map(async (name) => {
          const set = await bench.client.get(StatefulSet, { namespace, name });
          return set?.spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.["storage"]?.toString();
        }),
      );
      return sizes.every((size) => size === "20Gi");
    });
    await bench.running("demo");

    assert.deepEqual(await bench.uids("demo"), uids);
    assert.deepEqual([...quorums], ["True MajorityReady: 3 of 3 voters are ready"]);
    const lost = (await bench.events("demo")).filter((event) => event.includes("QuorumLost"));
    assert.deepEqual(lost, [], "the controllers keep running while their StatefulSet is recreated");
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

  it("rejoins on the retained volumes when it is created again", async () => {
    await bench.create("demo", { controllers: 3, ingestNodes: 2, storage: { size: "20Gi" } });
    await bench.running("demo");

    const config = await bench.object(ConfigMap, "demo-controller-config");
    assert.match(config.data?.["demo-controller-0.toml"] ?? "", /bootstrap = false/);
    assert.ok((await bench.events("demo")).some((event) => event.startsWith("Normal ReusingVolumes")));
  });
});

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
}
