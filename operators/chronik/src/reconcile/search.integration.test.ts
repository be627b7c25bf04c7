import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Pod, Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { annotations } from "../api/annotations.ts";
import { ChronikNodeGroup } from "../api/chronik-node-group.ts";
import type { Component } from "../api/identity.ts";
import { labels } from "../api/labels.ts";
import { Bench, namespace, quick } from "../testing/bench.ts";

/** The tests run in order on one cluster. */
describe("search nodes", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;
  before(async () => {
    bench = await Bench.start();
    operator = await bench.run();
    await bench.create("find", { controllers: 1, ingestNodes: 1, searchNodes: 2 });
    await bench.running("find");
  });
  after(async () => {
    await operator.stop();
    await bench[Symbol.asyncDispose]();
  });

  /** Returns the host names of the search pods by UID. */
  const slots = async (): Promise<ReadonlyMap<string, string>> => {
    const slice = await bench.client.get(EndpointSlice, { namespace, name: "find-search-slots" });
    const endpoints = slice?.endpoints ?? [];
    return new Map(endpoints.map(({ hostname = "", targetRef }) => [targetRef?.uid ?? "", hostname]));
  };

  const address = (slot: number): string => `find-search-${slot}.find-search.${namespace}.svc.cluster.local:9093`;

  it("have stable addresses, and a new pod takes the free slot", async () => {
    await bench.waitFor("find", ({ status }) => status.searchNodes?.length === 2);
    const before = await slots();
    const [first, survivor] = await bench.pods("find", "search");

    await bench.client.delete(Pod, { namespace, name: first?.metadata.name ?? "" });
    const changed = await bench.until("another pod in the slot", async () => {
      const now = await slots();
      return now.size === 2 && !now.has(first?.metadata.uid ?? "") && now;
    });
    const { status } = await bench.running("find");

    const uid = survivor?.metadata.uid ?? "";
    assert.equal(changed.get(uid), before.get(uid));
    assert.deepEqual(status.searchNodes, [address(0), address(1)]);
  });

  it("follow the scale target of the autoscaler, and return to the spec without it", async () => {
    const searchNodes = { minReplicas: 2, maxReplicas: 5, targetCpuUtilizationPercentage: 50 };
    await bench.change("find", { resources: { search: { cpu: "1", memory: "1Gi" } }, autoscaling: { searchNodes } });
    await bench.until("a scale target", async () =>
      bench.client.get(ChronikNodeGroup, { namespace, name: "find-search" }),
    );
    await bench.running("find");
    const replicas = async (): Promise<number | undefined> =>
      (await bench.object(Deployment, "find-search")).spec?.replicas;

    await bench.client.patch(
      ChronikNodeGroup,
      { namespace, name: "find-search" },
      { merge: { spec: { replicas: 4 } } },
    );
    await bench.until("four replicas", async () => (await replicas()) === 4);
    await bench.pass(180_000);
    const scaled = await replicas();
    // Without its labels, the scale target is not in the cache of the operator.
    await bench.client.patch(
      ChronikNodeGroup,
      { namespace, name: "find-search" },
      { merge: { metadata: { labels: { [labels.managedBy]: null } } } },
    );
    await bench.until("its labels", async () => {
      const { metadata } = await bench.object(ChronikNodeGroup, "find-search");
      return metadata.labels?.[labels.managedBy] !== undefined;
    });
    await bench.pass(90_000);
    const kept = await replicas();
    const group = await bench.object(ChronikNodeGroup, "find-search");
    await bench.change("find", { autoscaling: null });
    await bench.until("two replicas", async () => (await replicas()) === 2);
    await bench.running("find");

    assert.equal(scaled, 4);
    assert.equal(kept, 4);
    const events = (await bench.events("find")).filter((event) => /Scaled(?:Up|Down): Scaled search/.test(event));
    assert.deepEqual(events, [
      "Normal ScaledUp: Scaled search from 2 to 4",
      "Normal ScaledDown: Scaled search from 4 to 2",
    ]);
    assert.equal(group.status?.effectiveReplicas, 4);
    assert.equal((await bench.get("find")).spec.searchNodes, 2);
    assert.equal(await bench.client.get(ChronikNodeGroup, { namespace, name: "find-search" }), undefined);
    assert.ok(!(await bench.objects("find")).some((object) => object.startsWith("HorizontalPodAutoscaler")));
  });

  it("restart after the controllers and the ingest nodes when all of them change", async () => {
    const uidsOf = async (...tiers: readonly Component[]): Promise<readonly string[]> => {
      const pods = await Promise.all(tiers.map((component) => bench.pods("find", component)));
      return pods.flat().map(({ metadata }) => metadata.uid ?? "");
    };
    const before = new Set(await uidsOf("controller", "ingest", "search"));

    await bench.change("find", { config: { common: { "log.format": "json" } } });
    await bench.until("a new search node", async () => {
      // Read before the others: a search node that is new now must find only new members.
      const isSearchNew = (await uidsOf("search")).some((uid) => !before.has(uid));
      const areMembersOld = (await uidsOf("controller", "ingest")).some((uid) => before.has(uid));
      assert.ok(!isSearchNew || !areMembersOld, "a search node restarted too early");
      return isSearchNew;
    });
    const { status } = await bench.running("find");

    assert.equal(status.updatedReplicas?.searchNodes, 2);
  });

  it("are removed with all their objects, and created again", async () => {
    await bench.change("find", { searchNodes: 0 });
    await bench.until(
      "no search objects",
      async () => !(await bench.objects("find")).some((object) => object.includes("search")),
    );
    await bench.running("find");

    await bench.change("find", { searchNodes: 2 });
    const { status } = await bench.waitFor("find", (cluster) => cluster.status.searchNodes?.length === 2);

    assert.deepEqual(status.searchNodes, [address(0), address(1)]);
    await bench.running("find");
  });

  it("switch to a second Deployment with the strategy BlueGreen, and keep the former one for a while", async () => {
    await bench.change("find", {
      updateStrategy: { ...quick.updateStrategy, search: "BlueGreen", rollbackSeconds: 120 },
    });
    const selected = async (): Promise<string | undefined> =>
      (await bench.object(Service, "find-search-api")).spec?.selector?.[labels.color];
    await bench.until("the first switch", async () => (await selected()) !== undefined);
    const first = await selected();
    const kept = await bench.objects("find");
    await bench.until(
      "no former Deployment",
      async () => !(await bench.objects("find")).includes("Deployment find-search"),
    );
    await bench.running("find");

    assert.ok(kept.includes("Deployment find-search"));
    assert.ok(first === "blue" || first === "green");
    const { status } = await bench.get("find");
    assert.equal(status.searchColor?.active, first);
  });

  it("get a second Deployment without a report of drift after a change that is not one of the spec", async () => {
    const deployments = async (): Promise<number> =>
      (await bench.objects("find")).filter((object) => object.startsWith("Deployment")).length;

    await bench.annotate("find", annotations.restartComponents, "search");
    await bench.annotate("find", annotations.restart, "now");
    await bench.until("a second Deployment", async () => (await deployments()) === 2);

    const events = await bench.events("find");
    assert.ok(events.includes("Normal Created: Created 1 Deployment"), events.join("\n"));
    assert.deepEqual(
      events.filter((event) => event.includes("DriftCorrected")),
      [],
    );
  });
});
