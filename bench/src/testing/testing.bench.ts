import assert from "node:assert/strict";
import { startCluster } from "@homeostat/cluster";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { defineOperator } from "@homeostat/operator";
import { applied, defineController } from "@homeostat/runtime";
import { defineResource, s } from "@homeostat/schema";
import { applyManifests, objectOf, reconcileOnce, startOperator } from "@homeostat/testing";
import type { BenchCases } from "../harness/case.ts";

const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: { replicas: s.int().default(1) },
  conditions: ["Ready"],
});

const sites = defineController({
  for: Site,
  owns: { web: applied(Deployment) },
  async reconcile({ object: { spec }, name, owned, setCondition }) {
    const labels = { "example.com/site": name };
    await owned.web.apply({
      metadata: { name },
      spec: {
        replicas: spec.replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "example.com/web:1" }] } },
      },
    });
    setCondition("Ready", { status: true, reason: "Applied", message: "" });
  },
});

const operator = defineOperator({ name: "site-operator", resources: [Site], controllers: [sites] });
const metadata = { namespace: "default", name: "shop" };
const fields = { metadata, spec: { replicas: 2 } };

async function once(): Promise<void> {
  const { writes } = await reconcileOnce(sites, [objectOf(Site, fields)]);
  assert.equal(writes.length, 2);
}

async function whole(parts: "all" | "api"): Promise<void> {
  await using cluster = await startCluster({ parts });
  await using started = await startOperator(cluster, operator);
  await applyManifests(started.client, [Site.make(fields)]);
  await started.settled();
  assert.ok(await started.client.get(Deployment, metadata));
}

export const cases: BenchCases = [
  {
    name: "a test of one new object",
    subjects: {
      reconcileOnce: once,
      "startOperator, API server only": () => whole("api"),
      "startOperator, whole cluster": () => whole("all"),
    },
  },
];
