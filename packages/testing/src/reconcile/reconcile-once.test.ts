import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, type KubeObject, type ResourceType, setControllerReference, TerminalError } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, Secret, Service } from "@homeostat/kubernetes/core/v1";
import { applied, type Controller, created, defineController, desired, managed, watched } from "@homeostat/runtime";
import { defineResource, type ObjectOf, s } from "@homeostat/schema";
import { objectOf } from "./object-of.ts";
import { reconcileOnce } from "./reconcile-once.ts";

const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: { replicas: s.int().min(1).default(1), secret: s.string().optional() },
  status: { replicas: s.int().optional() },
  conditions: ["Ready"],
});
type Site = ObjectOf<typeof Site>;

const metadata = { namespace: "default", name: "shop" };

const sites: Controller<Site> = defineController({
  for: Site,
  owns: { web: applied(Deployment), service: created(Service) },
  watches: { secrets: watched(Secret) },
  errorCondition: "Ready",
  async reconcile({ object: { spec }, name, namespace, owned, watched: { secrets }, setStatus, setCondition, event }) {
    if (spec.secret !== undefined && secrets.get(`${namespace}/${spec.secret}`) === undefined) {
      throw new TerminalError({ reason: "SecretMissing", message: `Secret ${spec.secret} does not exist` });
    }
    const labels = { "example.com/site": name };
    const deployment = await owned.web.apply({
      metadata: { name },
      spec: {
        replicas: spec.replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "example.com/web:1" }] } },
      },
    });
    const { isNew } = await owned.service.create({
      metadata: { name },
      spec: { selector: labels, ports: [{ port: 80 }] },
    });
    if (isNew) event({ reason: "ServiceCreated", note: `Created Service ${name}` });
    const ready = deployment.status?.readyReplicas ?? 0;
    setStatus({ replicas: ready });
    setCondition("Ready", { status: ready >= spec.replicas, reason: "Counted", message: `${ready} ready` });
    return ready >= spec.replicas ? {} : { requeueAfterMs: 30_000 };
  },
});

describe("reconcileOnce", () => {
  it("returns writes, events, status and the requeue of a new object", async () => {
    const result = await reconcileOnce(sites, [objectOf(Site, { metadata, spec: {} })]);

    assert.equal(result.outcome, "later");
    assert.equal(result.requeueAfterMs, 30_000);
    assert.equal(result.error, undefined);
    assert.deepEqual(
      result.writes.map(({ text }) => text),
      ["apply Deployment default/shop", "create Service default/shop", "patch Site default/shop status"],
    );
    assert.deepEqual(
      result.events.map(({ type, reason, note }) => `${type} ${reason}: ${note}`),
      ["Normal ServiceCreated: Created Service shop"],
    );
    assert.equal(result.status?.replicas, 0);
    assert.equal(result.condition("Ready")?.status, "False");
    assert.equal(result.get(Deployment, metadata)?.spec?.replicas, 1);
    assert.equal(
      result.get(Deployment, "default/shop")?.metadata.ownerReferences?.[0]?.uid,
      result.object?.metadata.uid,
    );
    assert.equal(result.list(Service).length, 1);
    assert.deepEqual(
      result.logs.filter(({ level }) => level === "error"),
      [],
    );
  });

  it("reads given objects that the primary object owns, and keeps fields of other managers", async () => {
    const site = objectOf(Site, { metadata, spec: { replicas: 2 } });
    const deployment = setControllerReference(
      site,
      objectOf(Deployment, {
        metadata,
        spec: {
          replicas: 1,
          paused: true,
          selector: { matchLabels: { "example.com/site": "shop" } },
          template: { metadata: {}, spec: { containers: [] } },
        },
        status: { readyReplicas: 2 },
      }),
    );

    const result = await reconcileOnce(sites, [site, deployment]);

    assert.equal(result.outcome, "done");
    assert.equal(result.requeueAfterMs, undefined);
    assert.equal(result.condition("Ready")?.status, "True");
    const { spec, status } = result.get(Deployment, metadata) ?? {};
    assert.deepEqual([spec?.replicas, spec?.paused, status?.readyReplicas], [2, true, 2]);
  });

  it("continues from the objects of an earlier result, and writes nothing that is up to date", async () => {
    const first = await reconcileOnce(sites, [objectOf(Site, { metadata, spec: {} })]);

    const second = await reconcileOnce(sites, first.objects);

    assert.deepEqual(
      second.writes.map(({ text, isChange }) => [text, isChange]),
      [["apply Deployment default/shop", false]],
    );
    assert.deepEqual(second.events, []);
  });

  it("returns a terminal error with its condition and event", async () => {
    const result = await reconcileOnce(sites, [objectOf(Site, { metadata, spec: { secret: "keys" } })]);

    assert.equal(result.outcome, "terminal");
    assert.ok(result.error instanceof TerminalError);
    assert.equal(result.retryAfterMs, undefined);
    assert.deepEqual(result.condition("Ready")?.reason, "SecretMissing");
    assert.deepEqual(
      result.events.map(({ type, reason, note }) => `${type} ${reason}: ${note}`),
      ["Warning SecretMissing: Secret keys does not exist"],
    );
  });

  it("returns a transient error with the delay of its retry", async () => {
    const broken = defineController({
      for: Site,
      retry: { baseMs: 1_000 },
      async reconcile({ failures, lastError }) {
        throw new Error(`attempt ${failures} after ${String(lastError)}`);
      },
    });

    const {
      outcome,
      error,
      retryAfterMs = 0,
    } = await reconcileOnce(broken, [objectOf(Site, { metadata, spec: {} })], {
      clock: new FakeClock(),
      streak: { failures: 3, error: "boom" },
    });

    assert.equal(outcome, "failed");
    assert.equal(error instanceof Error && error.message, "attempt 3 after boom");
    assert.ok(retryAfterMs >= 900 && retryAfterMs <= 1_100, String(retryAfterMs));
  });

  it("adds the finalizer, and removes it with the object after the cleanup", async () => {
    const clock = new FakeClock();
    const cleaned: string[] = [];
    const guarded = defineController({
      for: Site,
      finalizer: "example.com/cleanup",
      async reconcile() {},
      async cleanup({ name }) {
        cleaned.push(name);
        return "done";
      },
    });
    const site = objectOf(Site, { metadata, spec: {} }, { clock });

    const held = await reconcileOnce(guarded, [site], { clock });
    assert.deepEqual(held.object?.metadata.finalizers, ["example.com/cleanup"]);
    assert.ok(held.object);
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    const leaving = { ...held.object, metadata: { ...held.object.metadata, deletionTimestamp } };
    const released = await reconcileOnce(guarded, [leaving], { clock });

    assert.deepEqual(cleaned, ["shop"]);
    assert.equal(released.object, undefined);
    assert.deepEqual(
      released.writes.map(({ text }) => text),
      ["patch Site default/shop"],
    );
  });

  it("writes and prunes managed objects as one set", async () => {
    const configured = defineController({
      for: Site,
      owns: { configs: managed(ConfigMap), deployments: managed(Deployment) },
      async reconcile({ object, managed: set }) {
        const names = object.spec.replicas > 1 ? ["one", "two"] : ["one"];
        const objects = names.map((name) => desired(ConfigMap, { metadata: { name }, data: { name } }));
        await set.sync([{ name: "configs", objects }]);
      },
    });

    const first = await reconcileOnce(configured, [objectOf(Site, { metadata, spec: { replicas: 2 } })]);
    assert.equal(first.error, undefined);
    const smaller = first.objects.map((object) =>
      object.kind === "Site"
        ? objectOf(Site, { ...first.object, metadata: first.object?.metadata ?? metadata, spec: { replicas: 1 } })
        : object,
    );
    const second = await reconcileOnce(configured, smaller);

    assert.deepEqual(
      first.list(ConfigMap).map(({ metadata: { name } }) => name),
      ["one", "two"],
    );
    assert.deepEqual(
      second.list(ConfigMap).map(({ metadata: { name } }) => name),
      ["one"],
    );
    assert.ok(second.writes.some(({ text }) => text === "delete ConfigMap default/two"));
  });

  it("rejects a status that violates the schema, as the API server does", async () => {
    const wrong = defineController({
      for: Site,
      async reconcile({ setStatus }) {
        setStatus({ replicas: 1.5 });
      },
    });

    const { outcome, error } = await reconcileOnce(wrong, [objectOf(Site, { metadata, spec: {} })]);

    assert.equal(outcome, "terminal");
    assert.match(String(error), /status\.replicas/);
  });

  it("serves requests of the client, also for kinds that are not declared", async () => {
    const seen: unknown[] = [];
    const Widget: ResourceType = {
      group: "example.com",
      version: "v1",
      kind: "Policy",
      plural: "policies",
      scope: "Cluster",
    };
    const policy: KubeObject = {
      apiVersion: "example.com/v1",
      kind: "Policy",
      metadata: { name: "strict", labels: { a: "b" } },
    };
    const reading = defineController({
      for: Site,
      async reconcile({ client }) {
        seen.push((await client.get(Widget, { name: "strict" }))?.metadata.name);
        seen.push((await client.list(Widget, { labelSelector: "a=b" })).items.length);
        seen.push((await client.list(Widget, { labelSelector: "a=c" })).items.length);
        seen.push(await client.get(ConfigMap, metadata));
        await client.delete(Widget, { name: "strict" });
      },
    });

    const { error, writes } = await reconcileOnce(reading, [objectOf(Site, { metadata, spec: {} }), policy]);

    assert.equal(error, undefined);
    assert.deepEqual(seen, ["strict", 1, 0, undefined]);
    assert.deepEqual(
      writes.map(({ text }) => text),
      ["delete Policy strict"],
    );
  });

  it("refuses an ambiguous call", async () => {
    const other = objectOf(Site, { metadata: { ...metadata, name: "cafe" }, spec: {} });
    const site = objectOf(Site, { metadata, spec: {} });

    await assert.rejects(reconcileOnce(sites, []), /no object is a Site of example\.com\/v1/);
    await assert.rejects(reconcileOnce(sites, [site, other]), /set it to one of default\/shop, default\/cafe/);
    assert.equal((await reconcileOnce(sites, [site, other], { key: "default/cafe" })).object?.metadata.name, "cafe");
    assert.equal((await reconcileOnce(sites, [], { key: "default/gone" })).outcome, "done");
  });
});
