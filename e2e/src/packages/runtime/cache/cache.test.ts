// The cache on an API server: checks the assumptions of the model in the unit tests.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { Client } from "@homeostat/client";
import { type KubeObject, NotFoundError, type ResourceType, TooManyRequestsError } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { ConfigMap, Namespace, Secret } from "@homeostat/kubernetes/core/v1";
import { eachServer } from "../../../harness/each-server.ts";
import type { TestServer } from "../../../harness/test-server.ts";
import { RunningCache, until } from "./running-cache.ts";

await eachServer("the cache", ({ start }) => {
  let cluster: TestServer;
  let client: Client;
  const namespace = `cache-${process.pid}`;

  before(async () => {
    // The real server watches Secrets directly in etcd, so that only etcd decides from which resource versions a watch can resume.
    // With the watch cache, whose window starts with the process, it would depend on timing.
    cluster = await start({ apiserverFlags: ["--watch-cache-sizes=secrets#0"] });
    client = await Client.fromKubeconfig({
      file: cluster.kubeconfigPath,
      defaults: { fieldManager: "cache-suite" },
      retries: false,
    });
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  });
  after(async () => {
    await client.delete(Namespace, { name: namespace });
    client.close();
    await cluster.stop();
  });

  const configMap = (name: string, value: string, labels: Record<string, string> = {}): ConfigMap => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace, name, labels },
    data: { value },
  });
  const secret = (name: string, value: string): Secret => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace, name },
    stringData: { value },
  });

  it("lists thousands of objects once, in one response, in pages and as a stream, and watches them", async () => {
    const count = 2000;
    const names = Array.from({ length: count }, (_, n) => `many-${n}`);
    const makers = Array.from({ length: 40 }, async (_, maker) => {
      for (let n = maker; n < count; n += 40) {
        await client.create(ConfigMap, configMap(names[n] ?? "", "x".repeat(500), { suite: "many" }));
      }
    });
    await Promise.all(makers);

    for (const list of ["whole", "pages", "stream"] as const) {
      await using following = await RunningCache.begin(cluster, { list });
      using maps = following.cache.informer(ConfigMap, { namespace, labels: "suite=many" });
      await maps.ready();

      assert.equal(maps.size, count, list);
      assert.deepEqual(maps.get({ namespace, name: "many-7" })?.data, { value: "x".repeat(500) });
      assert.equal(maps.get({ namespace, name: "many-7" })?.metadata.managedFields, undefined);
      assert.equal(
        maps.get({ namespace, name: "many-7" })?.kind,
        "ConfigMap",
        "items of a list have no kind on the wire",
      );
      const changed = await client.patch(ConfigMap, { namespace, name: "many-7" }, { merge: { data: { list } } });
      await until("the change is observed", () => maps.get({ namespace, name: "many-7" })?.data?.["list"] === list);
      assert.equal(maps.get({ namespace, name: "many-7" })?.metadata.resourceVersion, changed.metadata.resourceVersion);
      assert.equal(maps.health.lists, 1);
      await client.patch(ConfigMap, { namespace, name: "many-7" }, { merge: { data: { list: null } } });
    }
    await client.deleteCollection(ConfigMap, { namespace, labelSelector: "suite=many" });
  });

  it("shows its own writes immediately, never goes back, and does not notify the writer of its own writes", async () => {
    await using following = await RunningCache.begin(cluster);
    const { cache } = following;
    using maps = cache.informer(ConfigMap, { namespace });
    await maps.ready();
    const notified: string[] = [];
    const all: string[] = [];
    using subscription = maps.subscribe((event) => {
      const text = `${event.type} ${event.object.data?.["value"]}`;
      all.push(text);
      if (!event.isKnownTo("me")) notified.push(text);
    });
    await subscription.replayed;
    const key = { namespace, name: "own" };

    const made = await client.create(ConfigMap, configMap("own", "0"));
    await until("the object is observed", () => maps.has(key));
    notified.length = 0;
    all.length = 0;
    let { resourceVersion: version = "" } = made.metadata;
    for (let n = 1; n <= 50; n += 1) {
      using ticket = cache.write(ConfigMap, key, "me");
      const updated = await client.update(ConfigMap, {
        ...configMap("own", String(n)),
        metadata: { ...key, resourceVersion: version },
      });
      ticket.wrote(updated, { basedOn: version });
      version = updated.metadata.resourceVersion ?? "";
      assert.equal(maps.get(key)?.data?.["value"], String(n));
    }
    await client.patch(ConfigMap, key, { merge: { data: { value: "theirs" } } });
    await until("the change of the other client is observed", () => maps.get(key)?.data?.["value"] === "theirs");
    using deletion = cache.write(ConfigMap, key, "me");
    deletion.deleted((await client.delete(ConfigMap, key)).object);

    assert.equal(maps.get(key), undefined);
    await client.create(ConfigMap, configMap("own", "last"));
    await until("the next object with the name is observed", () => maps.get(key)?.data?.["value"] === "last");
    assert.deepEqual(notified, ["update theirs", "add last"]);
    assert.deepEqual(
      all,
      [...Array.from({ length: 50 }, (_, n) => `update ${n + 1}`), "update theirs", "delete theirs", "add last"],
      "other subscribers get every event once",
    );
    assert.equal(maps.health.lists, 1);
    await client.delete(ConfigMap, key);
  });

  it("caches only the selected objects, with informers that are added and removed at run time", async () => {
    await using following = await RunningCache.begin(cluster);
    const { cache } = following;
    await client.create(ConfigMap, configMap("red", "1", { color: "red" }));
    await client.create(ConfigMap, configMap("blue", "2", { color: "blue" }));
    using red = cache.informer(ConfigMap, { namespace, labels: "color=red" });
    using named = cache.informer(ConfigMap, { namespace, fields: "metadata.name=blue" });
    using bare = cache.informer(ConfigMap, { namespace, labels: "color", metadataOnly: true });
    using values = cache.informer(ConfigMap, { namespace, labels: "color", project: [["data", "value"]] });
    await Promise.all([red.ready(), named.ready(), bare.ready(), values.ready()]);

    assert.deepEqual([...red.keys()], [`${namespace}/red`]);
    assert.deepEqual([...named.keys()], [`${namespace}/blue`]);
    assert.deepEqual([...bare.keys()].sort(), [`${namespace}/blue`, `${namespace}/red`]);
    assert.equal(bare.get({ namespace, name: "red" })?.metadata.labels?.["color"], "red");
    assert.deepEqual(Object.keys(bare.get({ namespace, name: "red" }) ?? {}).sort(), [
      "apiVersion",
      "kind",
      "metadata",
    ]);
    assert.equal(bare.get({ namespace, name: "red" })?.kind, "ConfigMap");
    assert.equal(values.get({ namespace, name: "red" })?.data?.["value"], "1");

    await client.patch(ConfigMap, { namespace, name: "red" }, { merge: { metadata: { labels: { color: "blue" } } } });
    await until("the object does not match the selector any more", () => red.size === 0);
    await until("its metadata are updated", () => bare.get(`${namespace}/red`)?.metadata.labels?.["color"] === "blue");
    {
      using blue = cache.informer(ConfigMap, { namespace, labels: "color=blue" });
      using same = cache.informer(ConfigMap, { namespace, labels: "color=blue" });
      await blue.ready();
      assert.equal(same.size, 2);
      assert.equal(cache.stats().find(({ name }) => name.includes("color=blue"))?.users, 2);
      assert.equal(cache.stats().length, 5);
    }
    assert.equal(cache.stats().length, 4);
    await client.deleteCollection(ConfigMap, { namespace, labelSelector: "color" });
  });

  it("resumes without a list after the server was killed and restarted", async (t) => {
    if (cluster.isExternal) return t.skip("an external API server cannot be killed");
    await using following = await RunningCache.begin(cluster);
    using secrets = following.cache.informer(Secret, { namespace });
    await secrets.ready();
    const events: string[] = [];
    using subscription = secrets.subscribe(({ type, key }) => events.push(`${type} ${key}`));
    await subscription.replayed;
    await client.create(Secret, secret("before", "1"));
    await until("the last change is observed", () => secrets.has({ namespace, name: "before" }));

    await cluster.kill();
    await until("the watch is broken", () => secrets.health.failures > 0);
    assert.ok(secrets.has({ namespace, name: "before" }), "cached objects stay while the server is down");
    // The killed process may hold its port for a moment.
    await until("the server runs again", () =>
      cluster.restart().then(
        () => true,
        () => false,
      ),
    );
    await until("writes succeed", () => created(client, secret("after", "2")));
    await until("the change is observed", () => secrets.has({ namespace, name: "after" }));

    const { lists, gone, failures } = secrets.health;
    assert.deepEqual({ lists, gone, failures }, { lists: 1, gone: 0, failures: 0 });
    assert.deepEqual(events, [`add ${namespace}/before`, `add ${namespace}/after`]);
    await client.deleteCollection(Secret, { namespace, everything: true });
  });

  it("lists again after its resource version was compacted, and emits events only for changes", async (t) => {
    if (cluster.isExternal) return t.skip("the storage of an external API server cannot be compacted");
    await using following = await RunningCache.begin(cluster);
    using secrets = following.cache.informer(Secret, { namespace });
    for (const name of ["same", "changed", "gone", "recreated"]) await client.create(Secret, secret(name, "1"));
    await secrets.ready();
    await until("all are seen", () => secrets.size === 4);
    const before = secrets.get({ namespace, name: "same" });
    const events: string[] = [];
    using subscription = secrets.subscribe(({ type, object }) => events.push(`${type} ${object.metadata.name}`));
    await subscription.replayed;
    events.length = 0;

    following.network.cut("refused");
    await client.patch(Secret, { namespace, name: "changed" }, { merge: { stringData: { value: "2" } } });
    await client.delete(Secret, { namespace, name: "gone" });
    await client.delete(Secret, { namespace, name: "recreated" });
    await client.create(Secret, secret("recreated", "2"));
    const { metadata } = await client.create(Secret, secret("new", "1"));
    await cluster.compact(metadata.resourceVersion ?? "");
    following.network.heal();
    await until("the second list is complete", () => secrets.health.lists === 2);

    assert.equal(secrets.health.gone, 1);
    assert.deepEqual(events.sort(), ["add new", "add recreated", "delete gone", "delete recreated", "update changed"]);
    assert.equal(secrets.get({ namespace, name: "same" }), before, "an unchanged object is not parsed again");
    await client.deleteCollection(Secret, { namespace, everything: true });
  });

  it("handles the deletion of its CRD, and watches the recreated one", async () => {
    await using following = await RunningCache.begin(cluster);
    await client.create(CustomResourceDefinition, definition());
    await until("the kind is served", () => isServed(client));
    using widgets = following.cache.informer(Widget, { namespace });
    await client.create(Widget, newWidget(namespace, 1));
    await widgets.ready();
    await until("the widget is observed", () => widgets.size === 1);
    const { uid } = widgets.list()[0]?.metadata ?? {};

    await client.delete(CustomResourceDefinition, { name: "widgets.cache-suite.example" });
    await until("the kind is not served any more", async () => !(await isServed(client)));
    await until("its objects are removed from the cache", () => widgets.size === 0);
    await client.create(CustomResourceDefinition, definition());
    await until("the kind is served again", () => isServed(client));
    await client.create(Widget, newWidget(namespace, 2));
    await until("the new widget is observed", () => widgets.list()[0]?.spec.size === 2);

    assert.notEqual(widgets.list()[0]?.metadata.uid, uid);
    assert.equal(widgets.size, 1);
    await client.delete(CustomResourceDefinition, { name: "widgets.cache-suite.example" });
  });
});

interface Widget extends KubeObject {
  readonly spec: { readonly size: number };
}

const Widget: ResourceType<Widget> = {
  group: "cache-suite.example",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
};

function newWidget(namespace: string, size: number): Widget {
  return {
    apiVersion: "cache-suite.example/v1",
    kind: "Widget",
    metadata: { namespace, name: "only" },
    spec: { size },
  };
}

function definition(): CustomResourceDefinition {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true } as const;
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: open } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.cache-suite.example" },
    spec: {
      group: "cache-suite.example",
      scope: "Namespaced",
      names: { kind: "Widget", plural: "widgets", singular: "widget" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

async function isServed(client: Client): Promise<boolean> {
  try {
    await client.list(Widget);
    return true;
  } catch (error) {
    // The second creation may fail while the server sets up the storage of the kind.
    if (error instanceof NotFoundError || error instanceof TooManyRequestsError) return false;
    throw error;
  }
}

async function created(client: Client, object: Secret): Promise<boolean> {
  try {
    await client.create(Secret, object);
    return true;
  } catch {
    return false;
  }
}
