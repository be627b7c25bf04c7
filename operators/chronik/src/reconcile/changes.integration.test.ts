import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, type Pod } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/annotations.ts";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { Bench, conditionOf, namespace } from "../testing/bench.ts";

/** The tests run in order on one cluster. */
describe("changes of a running cluster", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;
  before(async () => {
    bench = await Bench.start();
    operator = await bench.run();
    await bench.create("demo", { controllers: 3, ingestNodes: 2 });
    await bench.running("demo");
  });
  after(async () => {
    await operator.stop();
    await bench[Symbol.asyncDispose]();
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
    assert.deepEqual(await memberEvents(), [
      "Adding demo-controller-3 as a voter",
      "Adding demo-controller-4 as a voter",
    ]);
  });

  it("removes controllers one by one, and keeps their claims", async () => {
    await bench.change("demo", { controllers: 3 });
    await bench.running("demo");

    const { status } = await bench.get("demo");
    assert.equal(status.quorum?.voters, 3);
    assert.equal(status.scaleDown, undefined);
    assert.deepEqual(
      (await memberEvents()).filter((event) => event.startsWith("Removing")),
      ["Removing voter 5", "Removing voter 4"],
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

  it("rejoins on the retained volumes when it is deleted and created again", async () => {
    await bench.client.delete(ChronikCluster, { namespace, name: "demo" });
    await bench.until("no objects", async () => (await bench.objects("demo")).length === 0);
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
