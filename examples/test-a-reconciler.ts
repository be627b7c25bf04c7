// Tests a reconciler, a webhook and a conversion without a server: each test takes milliseconds.
//
// Prints:
//   new site: later, requeue after 30000 ms
//   writes: apply Deployment default/shop, patch Site default/shop status
//   events: Normal Deployed: Created Deployment shop
//   rolled out: Ready is True, 2 of 2 replicas are ready
//   unknown plan: terminal, Ready is False because of UnknownPlan
//   lost response: failed, and the next reconcile: later
//   webhook: spec.replicas: must be at most 10
//   as v1beta1: size 2

import assert from "node:assert/strict";
import { setControllerReference, TerminalError } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { admit, convertTo, objectOf, reconcileOnce, RequestFaults } from "@homeostat/testing";
import { applied, defineController, defineConversion, defineResource, s, validatingWebhook } from "homeostat";

const Site = defineResource({
  group: "example.com",
  kind: "Site",
  versions: {
    v1: {
      storage: true,
      spec: { replicas: s.int().default(1), plan: s.string().optional() },
      conditions: ["Ready"],
    },
    v1beta1: { spec: { size: s.int().default(1) } },
  },
});

const sites = defineController({
  for: Site,
  owns: { deployments: applied(Deployment) },
  errorCondition: "Ready",
  async reconcile({ object: { spec }, name, owned, setCondition, event }) {
    if (spec.plan !== undefined) throw new TerminalError({ reason: "UnknownPlan", message: `no plan ${spec.plan}` });
    const isNew = owned.deployments.get(name) === undefined;
    const labels = { "example.com/site": name };
    const deployment = await owned.deployments.apply({
      metadata: { name },
      spec: {
        replicas: spec.replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "example.com/web:1" }] } },
      },
    });
    if (isNew) event({ reason: "Deployed", note: `Created Deployment ${name}` });
    const ready = deployment.status?.readyReplicas ?? 0;
    const message = `${ready} of ${spec.replicas} replicas are ready`;
    setCondition("Ready", { status: ready >= spec.replicas, reason: "Counted", message });
    return ready >= spec.replicas ? {} : { requeueAfterMs: 30_000 };
  },
});

// region: once
const metadata = { namespace: "default", name: "shop" };
const site = objectOf(Site, { metadata, spec: { replicas: 2 } });

const first = await reconcileOnce(sites, [site]);

console.log(`new site: ${first.outcome}, requeue after ${first.requeueAfterMs} ms`);
console.log(`writes: ${first.writes.map(({ text }) => text).join(", ")}`);
console.log(`events: ${first.events.map(({ type, reason, note }) => `${type} ${reason}: ${note}`).join(", ")}`);
assert.equal(first.get(Deployment, metadata)?.spec?.replicas, 2);
// endregion

// region: state
const deployment = objectOf(Deployment, {
  metadata,
  spec: { selector: {}, template: { metadata: {}, spec: { containers: [] } } },
  status: { readyReplicas: 2 },
});
const second = await reconcileOnce(sites, [site, setControllerReference(site, deployment)]);
const ready = second.condition("Ready");
console.log(`rolled out: Ready is ${ready?.status}, ${ready?.message}`);
// endregion

// region: errors
const unknown = await reconcileOnce(sites, [objectOf(Site, { metadata, spec: { plan: "gold" } })]);
const condition = unknown.condition("Ready");
console.log(`unknown plan: ${unknown.outcome}, Ready is ${condition?.status} because of ${condition?.reason}`);

const faults = new RequestFaults();
faults.add({ match: ({ verb }) => verb === "patch", when: "after", action: { do: "cut" } });
const cut = await reconcileOnce(sites, [site], { layers: [faults.layer] });
const retried = await reconcileOnce(sites, cut.objects);
console.log(`lost response: ${cut.outcome}, and the next reconcile: ${retried.outcome}`);
// endregion

const sizeGate = validatingWebhook({
  for: Site,
  *validate({ spec }) {
    if (spec.replicas > 10) yield { field: "spec.replicas", message: "must be at most 10" };
  },
});

const conversion = defineConversion(Site, {
  hub: "v1",
  spokes: {
    v1beta1: {
      toHub: ({ spec: { size } }) => ({ spec: { replicas: size } }),
      fromHub: ({ spec: { replicas } }) => ({ spec: { size: replicas } }),
    },
  },
});

// region: webhooks
const { allowed, message } = await admit(sizeGate, { object: objectOf(Site, { metadata, spec: { replicas: 11 } }) });
assert.equal(allowed, false);
console.log(`webhook: ${message}`);

const old = convertTo(conversion, Site.versions.v1beta1, site);
console.log(`as v1beta1: size ${old.spec.size}`);
// endregion
