// Tests an operator on an embedded cluster: pods that become ready, pods that never do, and a write whose response is lost.
//
// Prints:
//   Site shop: 2 of 2 replicas are ready
//   Site cafe, whose pods are never ready: 0 of 1 replicas are ready
//   Deployments after a lost response: 3

import assert from "node:assert/strict";
import { startCluster } from "@homeostat/cluster";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { applyManifests, eventually, RequestFaults, startOperator } from "@homeostat/testing";
import { applied, defineController, defineOperator, defineResource, s } from "homeostat";

const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: { replicas: s.int().default(1), broken: s.bool().default(false) },
  conditions: ["Ready"],
});

const sites = defineController({
  for: Site,
  owns: { deployments: applied(Deployment) },
  async reconcile({ object: { spec }, name, owned, setCondition }) {
    const labels = { "example.com/site": name };
    // An annotation controls how the simulated node runs the container.
    const annotations = spec.broken ? { "homeostat.dev/simulate": '{"neverReady": true}' } : {};
    const deployment = await owned.deployments.apply({
      metadata: { name },
      spec: {
        replicas: spec.replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations },
          spec: { containers: [{ name: "web", image: "example.com/web:1" }] },
        },
      },
    });
    const ready = deployment.status?.readyReplicas ?? 0;
    const message = `${ready} of ${spec.replicas} replicas are ready`;
    setCondition("Ready", { status: ready >= spec.replicas, reason: "Counted", message });
  },
});

const siteOperator = defineOperator({ name: "site-operator", resources: [Site], controllers: [sites] });
const faults = new RequestFaults();

// region: start
await using cluster = await startCluster();
await using operator = await startOperator(cluster, siteOperator, { layers: [faults.layer] });
const { client } = operator;

const site = { apiVersion: "example.com/v1", kind: "Site", metadata: { name: "shop" }, spec: { replicas: 2 } };
await applyManifests(client, [site]);

const message = await eventually(async () => {
  const { status } = (await client.get(Site, { namespace: "default", name: "shop" })) ?? {};
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  assert.equal(ready?.status, "True");
  return ready.message;
});
console.log(`Site shop: ${message}`);
// endregion

// region: behave
await applyManifests(
  client,
  `
apiVersion: example.com/v1
kind: Site
metadata: { name: cafe }
spec: { broken: true }
`,
);
await operator.settled();
const cafe = await client.get(Site, { namespace: "default", name: "cafe" });
console.log(`Site cafe, whose pods are never ready: ${cafe?.status?.conditions?.[0]?.message}`);
// endregion

// region: fault
faults.add({
  match: ({ verb, resource }) => verb === "patch" && resource === "deployments.apps",
  when: "after",
  action: { do: "cut" },
});
await applyManifests(client, [{ ...site, metadata: { name: "bar" } }]);
await operator.settled();
const { items } = await client.list(Deployment, { namespace: "default" });
console.log("Deployments after a lost response:", items.length);
// endregion
