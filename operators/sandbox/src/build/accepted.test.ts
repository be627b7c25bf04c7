import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Service } from "@homeostat/kubernetes/core/v1";
import { fieldManager } from "../api/identity.ts";
import { baselineNamespace, deployment, service, statefulSet } from "../testing/fork-baselines.ts";
import { forkCases, forkInput } from "../testing/fork-cases.ts";
import { readBaseline } from "./baseline.ts";
import { type DerivedFork, deriveFork } from "./derive-fork.ts";
import type { ForkInput } from "./fork-input.ts";
import { isRefusal } from "./refusal.ts";

function derive(input: ForkInput): DerivedFork {
  const fork = deriveFork(input);
  assert.ok(!isRefusal(fork), JSON.stringify(fork));
  return fork;
}

describe("derived forks on an API server", () => {
  let cluster: Cluster;
  let client: Client;

  before(async () => {
    cluster = await startCluster({ parts: "api" });
    client = createClient(cluster.connection());
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: baselineNamespace } });
  });
  after(async () => {
    client.close();
    await cluster[Symbol.asyncDispose]();
  });

  for (const [name, each] of Object.entries(forkCases)) {
    it(`are accepted for the baseline ${name}`, async () => {
      const { deployment: fork, services } = derive(forkInput(each));

      const stored = await client.apply(Deployment, fork, { fieldManager, dryRun: true });
      for (const { service: forkService } of services.services) {
        await client.apply(Service, forkService, { fieldManager, dryRun: true });
      }

      assert.equal(stored.metadata.name, fork.metadata.name);
    });
  }

  it("do not change when they are derived from the baseline as the server stores it and applied again", async () => {
    const created = [
      await client.create(Deployment, { ...deployment(), metadata: { name: "cart", namespace: baselineNamespace } }),
      await client.create(StatefulSet, { ...statefulSet(), metadata: { name: "peers", namespace: baselineNamespace } }),
    ];
    const { clusterIP: _, ...spec } = service("cart").spec ?? {};
    const stored = await client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "cart", namespace: baselineNamespace },
      spec,
    });
    for (const object of created) {
      const kind = object.kind === "Deployment" ? "Deployment" : "StatefulSet";
      const baseline = readBaseline({ kind, object });
      assert.ok(baseline !== undefined);
      const plain = forkCases["plain"];
      assert.ok(plain !== undefined);
      const fork = derive({ ...forkInput(plain), baseline, services: [stored] });

      const first = await client.apply(Deployment, fork.deployment, { fieldManager });
      const second = await client.apply(Deployment, fork.deployment, { fieldManager });

      assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
      assert.equal(fork.services.services.length, 1);
    }
  });
});
