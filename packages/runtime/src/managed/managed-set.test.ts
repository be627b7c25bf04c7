import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asStored, type KubeObject, type Stored } from "@homeostat/core";
import { managed } from "../kinds/kinds.ts";
import { apiWithBox, Box, ConfigMap, settled, otherClient } from "../testing/writes-bench.ts";
import { BeingDeletedError, NotOwnedError } from "../writes/errors.ts";
import type { FakeApi } from "../testing/writes-api.ts";
import { Controller, type ControllerOptions, Token, Widget } from "../testing/managed-bench.ts";
import { desired, type DesiredObject, type Tier } from "./desired.ts";
import { ManagedObjectsError } from "./errors.ts";
import type { SyncOptions, SyncResult } from "./managed-objects.ts";
import { defaultMark, Ownership } from "./ownership.ts";

const map = (name: string, value: string, more: Record<string, string> = {}): DesiredObject =>
  desired(ConfigMap, { metadata: { name }, data: { a: value, ...more } });
const widget = (name: string, spec: Widget["spec"] & object, role = "reader"): DesiredObject =>
  desired(Widget, { metadata: { name }, roleRef: { name: role }, spec });
const tier = (...objects: readonly DesiredObject[]): readonly Tier[] => [{ name: "all", objects }];

async function start(options: ControllerOptions = {}): Promise<{ api: FakeApi; controller: Controller }> {
  const api = await apiWithBox();
  return { api, controller: new Controller(api, options) };
}

async function sync(controller: Controller, tiers: readonly Tier[], options?: SyncOptions): Promise<SyncResult> {
  return settled(controller.clock, controller.reconcile().sync(tiers, options));
}

function results({ outcomes }: SyncResult): readonly string[] {
  return [...outcomes.values()].map(({ result }) => result);
}

/** Returns a config map of another owner. */
function foreign(name: string, metadata: KubeObject["metadata"] = {}): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "default", name, ...metadata },
    data: { theirs: "1" },
  };
}

describe("managed.sync", () => {
  it("creates missing objects with one request each, and sends nothing for an unchanged set", async () => {
    const { api, controller } = await start();

    const first = await sync(controller, tier(map("a", "1"), widget("w", { size: "s" })));
    const requests = api.requests.splice(0);
    controller.sync();
    const second = await sync(controller, tier(map("a", "1"), widget("w", { size: "s" })));

    assert.deepEqual(results(first), ["created", "created"]);
    assert.deepEqual(requests, ["PATCH boxes default/a", "POST configmaps default/", "POST widgets default/"]);
    assert.deepEqual(results(second), ["unchanged", "unchanged"]);
    assert.deepEqual(api.requests, []);
  });

  it("sends nothing after a restart when the set is unchanged", async () => {
    const { api, controller } = await start();
    await sync(controller, tier(map("a", "1")));
    api.requests.length = 0;

    const result = await sync(new Controller(api), tier(map("a", "1")));

    assert.deepEqual(results(result), ["unchanged"]);
    assert.deepEqual(api.requests, []);
  });

  it("marks objects with a controller reference, the owner's uid, a proof and a hash", async () => {
    const { api, controller } = await start();

    await sync(controller, tier(map("a", "1")));

    const { metadata } = api.read("configmaps", "default/a") ?? foreign("none");
    assert.deepEqual(
      metadata.ownerReferences?.map(({ kind, name, uid, controller: is }) => ({ kind, name, uid, is })),
      [{ kind: "Box", name: "a", uid: "uid-1", is: true }],
    );
    assert.deepEqual(Object.keys(metadata.annotations ?? {}).toSorted(), [
      "homeostat.dev/desired-hash",
      "homeostat.dev/owner-proof",
      "homeostat.dev/owner-uid",
    ]);
    assert.equal(metadata.annotations?.[defaultMark.uid], "uid-1");
  });

  it("updates objects whose desired state changed, and removes fields that are not desired any more", async () => {
    const { api, controller } = await start();
    await sync(controller, tier(map("a", "1", { b: "2" })));
    await otherClient(api).patch(ConfigMap, { namespace: "default", name: "a" }, { merge: { data: { theirs: "3" } } });
    controller.sync();

    const result = await sync(controller, tier(map("a", "9")));

    assert.deepEqual(results(result), ["updated"]);
    assert.deepEqual(api.read("configmaps", "default/a")?.["data"], { a: "9", theirs: "3" });
    assert.deepEqual(controller.reports, []);
  });

  it("corrects drift, names fields and field manager, and keeps fields of other managers", async () => {
    const { api, controller } = await start();
    await sync(controller, tier(map("a", "1")));
    await otherClient(api).patch(
      ConfigMap,
      { namespace: "default", name: "a" },
      { merge: { data: { a: "x", theirs: "3" } } },
    );
    controller.sync();

    const result = await sync(controller, tier(map("a", "1")));

    assert.deepEqual(results(result), ["corrected"]);
    assert.deepEqual(api.read("configmaps", "default/a")?.["data"], { a: "1", theirs: "3" });
    assert.deepEqual(controller.reports, [
      {
        type: "drift",
        kind: "ConfigMap",
        object: "ConfigMap default/a",
        drift: { fields: ["data.a"], managers: ["other-client"], wasDeleted: false },
      },
    ]);
  });

  it("does not correct drift again when the cache is outdated", async () => {
    const { api, controller } = await start();
    await sync(controller, tier(map("a", "1")));
    const other = otherClient(api);
    const key = { namespace: "default", name: "a" };
    await other.patch(ConfigMap, key, { merge: { data: { a: "x" } } });
    controller.sync();
    await other.patch(ConfigMap, key, { merge: { data: { a: "1" } } });

    const result = await sync(controller, tier(map("a", "1")));

    assert.deepEqual(results(result), ["unchanged"]);
    assert.deepEqual(controller.reports, []);
  });

  it("recreates a deleted object, and reports drift if the set was complete", async () => {
    const { api, controller } = await start();
    await sync(controller, tier(map("a", "1")));
    await otherClient(api).delete(ConfigMap, { namespace: "default", name: "a" });
    controller.sync();

    const result = await sync(controller, tier(map("a", "1")), { wasComplete: true });

    assert.deepEqual(results(result), ["created"]);
    assert.deepEqual(
      controller.reports.map((report) => "drift" in report && report.drift),
      [{ fields: [], managers: [], wasDeleted: true }],
    );
  });

  it("reports drift only of the objects that were complete", async () => {
    const { controller } = await start();
    const [first, second] = [map("a", "1"), map("b", "1")];

    const result = await sync(controller, tier(first, second), { wasComplete: (object) => object === second });

    assert.deepEqual(results(result), ["created", "created"]);
    assert.deepEqual(
      controller.reports.map((report) => "object" in report && report.object),
      ["ConfigMap default/b"],
    );
  });

  it("never changes an object of another owner, and names both owners", async () => {
    const { api, controller } = await start();
    const owner = { apiVersion: "v1", kind: "Pod", name: "theirs", uid: "uid-9", controller: true };
    await otherClient(api).create(ConfigMap, foreign("a", { ownerReferences: [owner] }));
    await otherClient(api).create(ConfigMap, foreign("b"));
    const before = api.changes.length;

    const result = await sync(controller, tier(map("a", "1"), map("b", "1"), map("c", "1")));

    assert.deepEqual(results(result), ["failed", "failed", "created"]);
    assert.deepEqual(api.changes.slice(before), ["change boxes default/a", "create configmaps default/c"]);
    const [first, second] = result.failures.map(({ error }) => error);
    assert.ok(first instanceof NotOwnedError && second instanceof NotOwnedError);
    assert.match(
      first.message,
      /^ConfigMap default\/a does not belong to Box default\/a: it is controlled by Pod theirs \(uid uid-9\)/,
    );
    assert.match(second.message, /it has no controller, so another client created it/);
    assert.throws(() => result.throwIfFailed(), ManagedObjectsError);
  });

  it("does not own a copy of an object under another name", async () => {
    const { api, controller } = await start({ ownership: new Ownership({ hasReference: () => false }) });
    await sync(controller, tier(map("a", "1")));
    const { annotations } = api.read("configmaps", "default/a")?.metadata ?? {};
    await otherClient(api).create(ConfigMap, foreign("copy", annotations === undefined ? {} : { annotations }));
    controller.sync();

    const result = await sync(controller, tier());

    assert.deepEqual(
      result.pruned.map(({ key, result: is }) => [key.name, is]),
      [["a", "deleted"]],
    );
    assert.notEqual(api.read("configmaps", "default/copy"), undefined);
  });

  it("adopts an object without a controller only on request", async () => {
    const { api, controller } = await start();
    await otherClient(api).create(ConfigMap, foreign("a", { annotations: { consent: "yes" } }));
    const object = { metadata: { name: "a" }, data: { a: "1" } };
    const adopt = (found: Stored<ConfigMap>): boolean => found.metadata.annotations?.["consent"] === "yes";

    const result = await sync(controller, tier(desired(ConfigMap, object, { adopt })));

    assert.deepEqual(results(result), ["adopted"]);
    assert.deepEqual(api.read("configmaps", "default/a")?.["data"], { a: "1", theirs: "1" });
    assert.equal(api.read("configmaps", "default/a")?.metadata.ownerReferences?.[0]?.uid, "uid-1");
  });

  it("replaces an object whose immutable field differs", async () => {
    const { api, controller } = await start();
    await sync(controller, tier(widget("w", { size: "s" }, "reader")));
    const uid = api.read("widgets", "default/w")?.metadata.uid;

    const result = await sync(controller, tier(widget("w", { size: "s" }, "writer")));

    assert.deepEqual(results(result), ["replaced"]);
    assert.notEqual(api.read("widgets", "default/w")?.metadata.uid, uid);
    assert.deepEqual(api.read("widgets", "default/w")?.["roleRef"], { name: "writer" });
  });

  it("waits for an object that is being deleted", async () => {
    const { api, controller } = await start();
    await sync(controller, tier(map("a", "1")));
    const other = otherClient(api);
    const key = { namespace: "default", name: "a" };
    await other.patch(ConfigMap, key, { merge: { metadata: { finalizers: ["example.com/hold"] } } });
    await other.delete(ConfigMap, key);
    controller.sync();

    const held = await sync(controller, tier(map("a", "1")));
    await other.patch(ConfigMap, key, { merge: { metadata: { finalizers: null } } });
    controller.sync();
    const free = await sync(controller, tier(map("a", "1")));

    assert.ok(held.failures[0]?.error instanceof BeingDeletedError);
    assert.deepEqual(results(free), ["created"]);
  });

  it("prunes objects that are not desired any more, in reverse order of declaration, except those in keep", async () => {
    const { api, controller } = await start();
    await sync(controller, tier(map("a", "1"), map("b", "1"), widget("w", { size: "s" })));
    const before = api.changes.length;

    const result = await sync(controller, tier(), {
      keep: [{ type: ConfigMap, key: { namespace: "default", name: "b" } }],
    });

    assert.deepEqual(api.changes.slice(before), ["delete widgets default/w", "delete configmaps default/a"]);
    assert.deepEqual(
      result.pruned.map(({ type, key }) => `${type.kind} ${key.name}`),
      ["Widget w", "ConfigMap a"],
    );
  });

  it("applies the next tier only when every object of the previous one is ready, and prunes after the last", async () => {
    const { api, controller } = await start();
    await sync(controller, tier(map("old", "1")));
    const isReady = (object: Stored<KubeObject>): boolean => object.metadata.labels?.["ready"] === "yes";
    const tiers: readonly Tier[] = [
      { name: "first", objects: [widget("w", { size: "s" })], isReady },
      { name: "second", objects: [map("a", "1")] },
    ];

    const waiting = await sync(controller, tiers);
    await otherClient(api).patch(
      Widget,
      { namespace: "default", name: "w" },
      { merge: { metadata: { labels: { ready: "yes" } } } },
    );
    controller.sync();
    const done = await sync(controller, tiers);

    assert.equal(waiting.waitingFor, "first");
    assert.deepEqual(results(waiting), ["created", "blocked"]);
    assert.deepEqual(waiting.pruned, []);
    assert.equal(done.waitingFor, undefined);
    assert.deepEqual(results(done), ["unchanged", "created"]);
    assert.deepEqual(
      done.pruned.map(({ key }) => key.name),
      ["old"],
    );
  });

  it("blocks an object whose requirement failed, and no other", async () => {
    const { api, controller } = await start();
    await otherClient(api).create(ConfigMap, foreign("policy"));
    const policy = map("policy", "1");
    const workload = desired(Widget, { metadata: { name: "w" }, spec: { size: "s" } }, { requires: [policy] });

    const result = await sync(controller, tier(policy, workload, map("free", "1")));

    assert.deepEqual(results(result), ["failed", "blocked", "created"]);
    assert.deepEqual(result.outcomes.get(workload), { result: "blocked", by: "ConfigMap policy" });
  });

  it("reads objects of kinds that are not cached by name, unless the reconciler has done so", async () => {
    const { api, controller } = await start();
    const token = { metadata: { name: "t" }, data: { key: "1" } };

    await sync(controller, tier(desired(Token, token)));
    api.requests.length = 0;
    await sync(controller, tier(desired(Token, token)));
    const [read] = api.requests.splice(0);
    const live = await otherClient(api).get(Token, { namespace: "default", name: "t" });
    api.requests.length = 0;
    assert.ok(live !== undefined);

    assert.equal(read, "GET tokens default/t");
    const removed = await sync(controller, tier(), {
      remove: [{ type: Token, object: asStored(live) }],
    });
    assert.deepEqual(
      removed.pruned.map(({ result }) => result),
      ["deleted"],
    );
    assert.deepEqual(api.requests, ["DELETE tokens default/t"]);
  });

  it("rejects kinds that are not declared, and duplicate objects", async () => {
    const { controller } = await start({ kinds: [managed(ConfigMap)] });

    await assert.rejects(
      sync(controller, tier(widget("w", {}))),
      /widgets\.example\.com, which this controller does not manage; add managed\(Widget\)/,
    );
    await assert.rejects(sync(controller, tier(map("a", "1"), map("a", "2"))), /ConfigMap a is in the set twice/);
  });

  it("rejects objects that the label selector of their kind does not match", async () => {
    const { controller } = await start({ kinds: [managed(ConfigMap, { labels: "app=box" })] });

    await assert.rejects(
      sync(controller, tier(map("a", "1"))),
      /ConfigMap a does not match the label selector app=box of ConfigMap/,
    );
  });

  it("continues with other objects when one fails, and reports every failure", async () => {
    const { api, controller } = await start();
    api.fault = (number) => (number === 1 ? "failed before" : undefined);

    const result = await sync(controller, tier(map("a", "1"), map("b", "1")));

    assert.deepEqual(results(result), ["failed", "created"]);
    assert.deepEqual(
      result.failures.map(({ object }) => object),
      ["ConfigMap a"],
    );
  });
});

describe("the inventory of kinds", () => {
  it("is written with one request, even if the reconcile has changed the owner before", async () => {
    const { api, controller } = await start();
    const objects = controller.reconcile();
    await otherClient(api).patch(
      Box,
      { namespace: "default", name: "a" },
      { merge: { metadata: { labels: { a: "1" } } } },
    );
    controller.sync();
    api.requests.length = 0;

    await settled(controller.clock, objects.sync(tier()));

    assert.deepEqual(api.requests, ["PATCH boxes default/a"]);
  });

  it("finds and deletes objects of a retired kind, and then removes the kind", async () => {
    const { api, controller } = await start();
    await sync(controller, tier(map("a", "1"), widget("w", { size: "s" })));
    const inventory = (): string | undefined =>
      api.read("boxes", "default/a")?.metadata.annotations?.["homeostat.dev/managed-kinds"];
    assert.equal(inventory(), "ConfigMap,Token.example.com,Widget.example.com");

    const later = new Controller(api, { kinds: [managed(ConfigMap), managed(Widget, { retired: true })] });
    const result = await sync(later, tier(map("a", "1")));

    assert.deepEqual(
      result.pruned.map(({ type, key }) => `${type.kind} ${key.name}`),
      ["Widget w"],
    );
    assert.equal(inventory(), "ConfigMap,Token.example.com");
    assert.deepEqual(later.reports, [{ type: "undeclared-kind", kind: "Token.example.com" }]);
  });
});

describe("managed.plan", () => {
  it("returns the actions of sync with the changed paths, and writes nothing", async () => {
    const { api, controller } = await start();
    await sync(
      controller,
      tier(map("same", "1"), map("drifted", "1"), map("old", "1"), widget("w", { size: "s" }), map("changed", "1")),
    );
    await otherClient(api).create(ConfigMap, foreign("foreign"));
    await otherClient(api).patch(ConfigMap, { namespace: "default", name: "drifted" }, { merge: { data: { a: "x" } } });
    controller.sync();
    api.changes.length = 0;

    const plan = await controller
      .reconcile()
      .plan(
        tier(
          map("same", "1"),
          map("drifted", "1"),
          map("changed", "2"),
          map("new", "1"),
          map("foreign", "1"),
          widget("w", { size: "s" }, "writer"),
        ),
      );

    assert.deepEqual(
      plan.map(({ action, object, ...more }) => [action, object, "fields" in more ? more.fields : []]),
      [
        ["none", "ConfigMap default/same", []],
        ["update", "ConfigMap default/drifted", ["data.a"]],
        ["update", "ConfigMap default/changed", ["metadata.annotations.homeostat.dev/desired-hash", "data.a"]],
        ["create", "ConfigMap default/new", []],
        ["refused", "ConfigMap default/foreign", []],
        ["replace", "Widget default/w", ["metadata.annotations.homeostat.dev/desired-hash", "roleRef.name"]],
        ["delete", "ConfigMap default/old", []],
      ],
    );
    assert.deepEqual(api.changes, []);
  });
});

describe("managed.deleteAll and releaseAll", () => {
  it("deletes all live objects of the owner, and returns those with finalizers", async () => {
    const { api, controller } = await start();
    await sync(
      controller,
      tier(map("a", "1"), widget("w", { size: "s" }), desired(Token, { metadata: { name: "t" } })),
    );
    await otherClient(api).create(ConfigMap, foreign("b"));
    await otherClient(api).patch(
      Widget,
      { namespace: "default", name: "w" },
      { merge: { metadata: { finalizers: ["example.com/hold"] } } },
    );

    const left = await controller
      .reconcile()
      .deleteAll({ named: [{ type: Token, key: { namespace: "default", name: "t" } }] });

    assert.deepEqual(
      left.map(({ object }) => object.metadata.name),
      ["w"],
    );
    assert.deepEqual([...api.stored.keys()].toSorted(), [
      "boxes default/a",
      "configmaps default/b",
      "widgets default/w",
    ]);
  });

  it("removes only the controller reference", async () => {
    const { api, controller } = await start();
    await sync(controller, tier(map("a", "1")));

    await controller.reconcile().releaseAll();

    const { metadata, data } = api.read("configmaps", "default/a") ?? foreign("none");
    assert.deepEqual(metadata.ownerReferences ?? [], []);
    assert.deepEqual(data, { a: "1" });
  });
});
