import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startCluster } from "@homeostat/cluster";
import { FakeClock, InvalidError, SeededRandom } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Event } from "@homeostat/kubernetes/events/v1";
import { defineOperator } from "@homeostat/operator";
import { applied, defineController } from "@homeostat/runtime";
import { defineConversion, defineResource, s } from "@homeostat/schema";
import { mutatingWebhook, validatingWebhook } from "@homeostat/webhook";
import { OperatorNotSettledError, UnknownManifestKindError } from "../errors.ts";
import { RequestFaults } from "../faults/request-faults.ts";
import { eventually } from "../waiting/eventually.ts";
import { applyManifests } from "./apply-manifests.ts";
import { startOperator } from "./start-operator.ts";

const Site = defineResource({
  group: "example.com",
  kind: "Site",
  versions: {
    v1: {
      storage: true,
      spec: { replicas: s.int().min(0).default(1), owner: s.string().optional() },
      status: { replicas: s.int().optional() },
      conditions: ["Ready"],
    },
    v1beta1: {
      spec: { size: s.int().default(1), owner: s.string().optional() },
      status: { replicas: s.int().optional() },
    },
  },
});

const siteConversion = defineConversion(Site, {
  hub: "v1",
  spokes: {
    v1beta1: {
      toHub: ({ spec: { size: replicas, ...spec }, ...rest }) => ({ ...rest, spec: { ...spec, replicas } }),
      fromHub: ({ spec: { replicas: size, ...spec }, status }) => ({
        spec: { ...spec, size },
        ...(status?.replicas !== undefined && { status: { replicas: status.replicas } }),
      }),
    },
  },
});

const sizeGate = validatingWebhook({
  for: Site,
  *validate({ spec }, old) {
    if (spec.replicas > 10) yield { field: "spec.replicas", message: "must be at most 10" };
    if (old !== undefined && spec.replicas < old.spec.replicas) yield { message: "shrinks the site", warn: true };
  },
});

const ownerDefault = mutatingWebhook({
  for: Site,
  mutate: (site, _old, { user }) => ({ ...site, spec: { owner: user.username, ...site.spec } }),
});

const sites = defineController({
  for: Site,
  owns: { web: applied(Deployment) },
  async reconcile({ object: { spec }, name, owned, setStatus, event, setCondition }) {
    const labels = { "example.com/site": name };
    const { status } = await owned.web.apply({
      metadata: { name },
      spec: {
        replicas: spec.replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "example.com/web:1" }] } },
      },
    });
    const ready = status?.readyReplicas ?? 0;
    const isReady = ready === spec.replicas;
    if (isReady) event({ reason: "Ready", note: `${ready} replicas are ready`, once: "generation" });
    setStatus({ replicas: ready });
    setCondition("Ready", { status: isReady, reason: "Counted", message: `${ready} ready` });
  },
});

const siteOperator = defineOperator({
  name: "site-operator",
  version: "1.0.0",
  resources: [Site],
  conversions: [siteConversion],
  controllers: [sites],
  webhooks: [sizeGate, ownerDefault],
});

const at = { namespace: "default", name: "shop" };
const manifest = `
apiVersion: example.com/v1
kind: Site
metadata: { name: shop }
spec: { replicas: 2 }
---
`;

describe("startOperator", () => {
  it("runs an operator with its permissions, webhooks and conversion", async () => {
    await using cluster = await startCluster();
    await using operator = await startOperator(cluster, siteOperator);
    const { client } = operator;

    const [stored] = await applyManifests(client, manifest);
    await eventually(async () => {
      const { status } = (await client.get(Site, at)) ?? {};
      assert.equal(status?.replicas, 2);
    });

    assert.equal(stored?.metadata.namespace, "default");
    const old = await client.get(Site.versions.v1beta1, at);
    assert.equal(old?.spec.size, 2);
    assert.equal(old?.spec.owner, "kubernetes-admin");
    const tooLarge = Site.make({ metadata: { ...at, name: "large" }, spec: { replicas: 11 } });
    await assert.rejects(client.create(Site, tooLarge), InvalidError);
    assert.deepEqual(
      operator.logs.filter(({ level }) => level === "error" || level === "warn"),
      [],
    );
  });

  it("waits until the operator has reconciled all changes and sent its events", async () => {
    await using cluster = await startCluster({ parts: "api" });
    await using operator = await startOperator(cluster, siteOperator, { webhooks: false });
    const { client } = operator;

    await applyManifests(client, manifest);
    await operator.settled();

    assert.equal((await client.get(Deployment, at))?.spec?.replicas, 2);
    await client.patch(
      Deployment,
      at,
      { merge: { status: { readyReplicas: 2, replicas: 2 } } },
      { subresource: "status" },
    );
    await operator.settled();
    assert.equal((await client.get(Site, at))?.status?.replicas, 2);
    assert.deepEqual(
      (await client.list(Event, { namespace: "default" })).items.map(({ reason }) => reason),
      ["Ready"],
    );
  });

  it("settles after a write whose response was lost", async () => {
    const faults = new RequestFaults();
    await using cluster = await startCluster({ parts: "api" });
    await using operator = await startOperator(cluster, siteOperator, { webhooks: false, layers: [faults.layer] });
    using fault = faults.add({
      match: ({ verb, resource }) => verb === "patch" && resource === "deployments.apps",
      when: "after",
      action: { do: "cut" },
    });

    await applyManifests(operator.client, manifest);
    await operator.settled();

    assert.equal(fault.happened, 1);
    assert.ok(await operator.client.get(Deployment, at));
  });

  it("uses the virtual time of the cluster", async () => {
    const clock = new FakeClock({ turnsMin: 2 });
    const waiting = defineOperator({
      name: "waiting-operator",
      resources: [Site],
      controllers: [
        defineController({
          for: Site,
          async reconcile({ object, setStatus, serverClock }) {
            const ageMs = serverClock.now() - Date.parse(object.metadata.creationTimestamp ?? "");
            setStatus({ replicas: ageMs >= 3_600_000 ? 1 : 0 });
            return ageMs >= 3_600_000 ? {} : { requeueAfterMs: 600_000 };
          },
        }),
      ],
      conversions: siteOperator.conversions,
    });
    await using cluster = await startCluster({ parts: "api", clock, random: new SeededRandom(1) });
    await using operator = await startOperator(cluster, waiting, { clock });
    const { client } = operator;
    await applyManifests(client, manifest, { clock });

    await operator.settled();
    assert.equal((await client.get(Site, at))?.status?.replicas, 0);
    await clock.advance(3_700_000);
    await operator.settled();

    assert.equal((await client.get(Site, at))?.status?.replicas, 1);
  });

  it("reports the work that is left", async () => {
    const failing = defineOperator({
      name: "failing-operator",
      resources: [Site],
      conversions: siteOperator.conversions,
      controllers: [
        defineController({
          for: Site,
          async reconcile() {
            throw new Error("not today");
          },
        }),
      ],
    });
    await using cluster = await startCluster({ parts: "api" });
    await using operator = await startOperator(cluster, failing, { webhooks: false });
    await applyManifests(operator.client, manifest);
    await eventually(() => operator.logs.some(({ message }) => message === "Reconcile failed"));

    await assert.rejects(operator.settled({ timeoutMs: 200 }), (error) => {
      assert.ok(error instanceof OperatorNotSettledError);
      assert.match(error.message, /failing-operator has work left within 200 ms: controller sites re/);
      return true;
    });
  });
});

describe("applyManifests", () => {
  it("applies CRDs together with their objects, and again", async () => {
    await using cluster = await startCluster({ parts: "api" });
    await using operator = await startOperator(cluster, defineOperator({ name: "empty" }));
    const { client } = operator;
    const manifests = [Site.crd(), Site.make({ metadata: { name: "shop" }, spec: {} })];

    const [crd, site] = await applyManifests(client, manifests);
    await applyManifests(client, manifests);

    assert.equal(crd?.kind, "CustomResourceDefinition");
    assert.equal(site?.metadata.generation, 1);
  });

  it("names a kind that the API server does not serve", async () => {
    const clock = new FakeClock();
    await using cluster = await startCluster({ parts: "api", clock, random: new SeededRandom(1) });
    await using operator = await startOperator(cluster, defineOperator({ name: "empty" }), { clock });

    await assert.rejects(
      applyManifests(operator.client, [{ apiVersion: "example.com/v1", kind: "Nothing", metadata: { name: "a" } }], {
        clock,
      }),
      UnknownManifestKindError,
    );
  });
});
