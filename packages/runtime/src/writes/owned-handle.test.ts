import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type OwnerReference, OwnerScopeError } from "@homeostat/core";
import { applied, created } from "../kinds/kinds.ts";
import { apiWithBox, Bench, ConfigMap, otherClient } from "../testing/writes-bench.ts";
import { ApplyConflictError, BeingDeletedError, NotOwnedError } from "./errors.ts";
import { ownedHandle } from "./owned-handle.ts";

const at = { namespace: "default", name: "web" };
const web = (value: string): { metadata: { name: string }; data: { a: string } } => ({
  metadata: { name: "web" },
  data: { a: value },
});
const kind = applied(ConfigMap, { deletes: true });
const made = created(ConfigMap, { deletes: true });

describe("ownedHandle.apply", () => {
  it("applies the object in the namespace of its owner, with a controller reference", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });

    const object = await handle.apply(web("1"));

    assert.deepEqual(object.data, { a: "1" });
    assert.deepEqual(object.metadata.ownerReferences, [
      {
        apiVersion: "example.com/v1",
        kind: "Box",
        name: "a",
        uid: "uid-1",
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    assert.equal(handle.get("web")?.metadata.uid, object.metadata.uid);
    assert.throws(() => Object.assign(object, { data: {} }), TypeError, "the returned object is frozen");
  });

  it("sends nothing when nothing would change", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });
    await handle.apply(web("1"));
    const before = bench.api.requests.length;

    await handle.apply(web("1"));

    assert.equal(bench.api.requests.length, before);
    assert.deepEqual(bench.results, ["apply configmaps written", "apply configmaps skipped"]);
  });

  it("sends an unchanged apply once after a restart", async () => {
    const api = await apiWithBox();
    const first = new Bench(api);
    await ownedHandle(kind, { ...first.begin(), informer: first.configMaps }).apply(web("1"));
    const second = new Bench(api);
    const handle = ownedHandle(kind, { ...second.begin(), informer: second.configMaps });

    await handle.apply(web("1"));
    await handle.apply(web("1"));

    assert.deepEqual(second.results, ["apply configmaps unchanged", "apply configmaps skipped"]);
    assert.equal(
      api.requests.filter((request) => request.startsWith("GET")).length,
      1,
      "only before the object was cached",
    );
  });

  it("sends an apply when the object or its configuration has changed, and removes omitted fields", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });
    await handle.apply({ metadata: { name: "web" }, data: { a: "1", b: "2" } });
    await otherClient(bench.api).patch(ConfigMap, at, { merge: { data: { theirs: "3" } } });
    bench.configMaps.sync();

    await handle.apply(web("1"));

    assert.deepEqual(bench.api.read("configmaps", "default/web")?.["data"], { a: "1", theirs: "3" });
  });

  it("ignores changes of the status and of the resource version", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });
    await handle.apply(web("1"));
    await otherClient(bench.api).patch(ConfigMap, at, { merge: { status: { x: 1 } } }, { subresource: "status" });
    bench.configMaps.sync();

    await handle.apply(web("1"));

    assert.equal(bench.results.at(-1), "apply configmaps skipped");
  });

  it("overwrites a field of another manager, and reports the manager", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });
    await handle.apply(web("1"));
    await otherClient(bench.api).patch(ConfigMap, at, { merge: { data: { a: "2" } } });
    bench.configMaps.sync();

    await handle.apply(web("1"));

    assert.deepEqual(bench.api.read("configmaps", "default/web")?.["data"], { a: "1" });
    assert.deepEqual(bench.reports, [
      {
        type: "conflict",
        object: "ConfigMap default/web",
        conflicts: [{ field: "data.a", manager: "other-client" }],
        wasTaken: true,
      },
    ]);
    assert.deepEqual(bench.notes.at(-1)?.fields, ["data.a"]);
  });

  it("fails with conflicts: fail, and does not change the field", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });
    await handle.apply(web("1"));
    await otherClient(bench.api).patch(ConfigMap, at, { merge: { data: { a: "2" } } });
    bench.configMaps.sync();

    await assert.rejects(handle.apply(web("1"), { conflicts: "fail" }), (error) => {
      assert.ok(error instanceof ApplyConflictError);
      assert.match(error.message, /ConfigMap default\/web .* data\.a \(set by other-client\)/);
      return true;
    });

    assert.deepEqual(bench.api.read("configmaps", "default/web")?.["data"], { a: "2" });
    assert.equal(bench.reports[0]?.type === "conflict" && bench.reports[0].wasTaken, false);
  });

  it("rejects objects without owner, of another owner, and of a deleted predecessor", async () => {
    const api = await apiWithBox();
    const owner = { apiVersion: "example.com/v1", kind: "Box", controller: true };
    const other = otherClient(api);
    const create = async (name: string, ownerReferences: OwnerReference[]): Promise<void> => {
      const metadata = { namespace: "default", name, ownerReferences };
      await other.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata });
    };
    await create("ownerless", []);
    await create("another", [{ ...owner, name: "b", uid: "uid-b" }]);
    await create("predecessor", [{ ...owner, name: "a", uid: "uid-before" }]);
    const bench = new Bench(api);
    const handle = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });

    const verdicts: (readonly [string, boolean | undefined, string | undefined])[] = [];
    for (const name of ["ownerless", "another", "predecessor"]) {
      await assert.rejects(handle.apply({ metadata: { name }, data: {} }), (error) => {
        assert.ok(error instanceof NotOwnedError);
        verdicts.push([name, error.isPredecessor, error.owner?.uid]);
        return true;
      });
    }

    assert.deepEqual(verdicts, [
      ["ownerless", false, undefined],
      ["another", false, "uid-b"],
      ["predecessor", true, "uid-before"],
    ]);
    assert.deepEqual(bench.notes, [], "nothing was written");
    assert.equal(handle.get("another"), undefined);
    assert.deepEqual(handle.list(), []);
  });

  it("rejects an object that is being deleted", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });
    await handle.apply({ metadata: { name: "web", finalizers: ["example.com/held"] }, data: {} });
    await otherClient(bench.api).delete(ConfigMap, at);
    bench.configMaps.sync();

    await assert.rejects(
      handle.apply(web("1")),
      (error) => error instanceof BeingDeletedError && error.finalizers[0] === "example.com/held",
    );
  });

  it("never applies to a recreated object of the same name, even with an outdated cache", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });
    await handle.apply(web("1"));
    const other = otherClient(bench.api);
    await other.delete(ConfigMap, at);
    await other.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: at, data: { theirs: "1" } });

    await assert.rejects(handle.apply(web("2")), NotOwnedError);

    assert.deepEqual(bench.api.read("configmaps", "default/web")?.["data"], { theirs: "1" });
  });

  it("rejects an object in another namespace", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });

    await assert.rejects(handle.apply({ metadata: { name: "web", namespace: "elsewhere" } }), OwnerScopeError);

    assert.deepEqual(bench.api.requests, []);
  });

  it("names the field manager that reverts a field repeatedly", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });
    await handle.apply(web("1"));

    for (let round = 0; round < 5; round += 1) {
      await otherClient(bench.api).patch(ConfigMap, at, { merge: { data: { a: "2" } } });
      bench.configMaps.sync();
      await handle.apply(web("1"));
    }

    const loops = bench.reports.filter((report) => report.type === "hot-loop").map(({ loop }) => loop);
    assert.equal(loops.length, 1);
    assert.deepEqual(
      { ...loops[0], heldUntil: undefined },
      {
        key: "default/a",
        target: "apply configmaps default/web",
        fields: ["data.a"],
        type: "fight",
        others: ["other-client"],
        repeats: 5,
        holdMs: 1000,
        heldUntil: undefined,
      },
    );
    assert.equal(bench.hotLoops.holdMsOf("default/a"), 1000);
  });
});

describe("ownedHandle.create", () => {
  it("creates an object once, and returns it from the cache afterwards", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(made, { ...bench.begin(), informer: bench.configMaps });

    const first = await handle.create(web("1"));
    const second = await handle.create(web("2"));

    assert.equal(first.isNew, true);
    assert.equal(second.isNew, false);
    assert.deepEqual(second.object.data, { a: "1" }, "the object is not changed");
    assert.deepEqual(bench.api.requests, ["POST configmaps default/"]);
  });

  it("finds its own object when the cache is outdated", async () => {
    const api = await apiWithBox();
    const blind = new Bench(api);
    const first = new Bench(api);
    const { object } = await ownedHandle(made, { ...first.begin(), informer: first.configMaps }).create(web("1"));

    const again = await ownedHandle(made, { ...blind.begin(), informer: blind.configMaps }).create(web("1"));

    assert.deepEqual([again.isNew, again.object.metadata.uid], [false, object.metadata.uid]);
  });

  it("rejects an object of another owner, and creates it once that is deleted, even with an outdated cache", async () => {
    const api = await apiWithBox();
    await otherClient(api).create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: at });
    const bench = new Bench(api);
    const handle = ownedHandle(made, { ...bench.begin(), informer: bench.configMaps });

    await assert.rejects(handle.create(web("1")), NotOwnedError);
    await otherClient(api).delete(ConfigMap, at);
    const { isNew } = await handle.create(web("1"));

    assert.equal(isNew, true);
  });

  it("rejects an object that is being deleted", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(made, { ...bench.begin(), informer: bench.configMaps });
    await handle.create({ metadata: { name: "web", finalizers: ["example.com/held"] } });
    await handle.delete("web");
    const restarted = new Bench(bench.api);

    await assert.rejects(handle.create(web("1")), BeingDeletedError);
    await assert.rejects(
      ownedHandle(made, { ...restarted.begin(), informer: restarted.configMaps }).create(web("1")),
      BeingDeletedError,
    );
  });
});

describe("ownedHandle.delete and prune", () => {
  it("deletes an owned object, and reports whether it existed", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });
    await handle.apply(web("1"));

    assert.equal(await handle.delete("web"), true);
    assert.equal(await handle.delete("web"), false);

    assert.equal(bench.api.read("configmaps", "default/web"), undefined);
    assert.equal(handle.get("web"), undefined);
  });

  it("does not delete an object twice that is being deleted", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });
    await handle.apply({ metadata: { name: "web", finalizers: ["example.com/held"] } });

    assert.equal(await handle.delete("web"), true);
    const requests = bench.api.requests.length;
    assert.equal(await handle.delete("web"), true);

    assert.equal(bench.api.requests.length, requests);
  });

  it("keeps a recreated object and one whose owner has changed, even with an outdated cache", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });
    await handle.apply({ metadata: { name: "reborn" } });
    await handle.apply({ metadata: { name: "given" } });
    const other = otherClient(bench.api);
    await other.delete(ConfigMap, { namespace: "default", name: "reborn" });
    const metadata = { namespace: "default", name: "reborn" };
    await other.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata });
    await other.patch(
      ConfigMap,
      { namespace: "default", name: "given" },
      { merge: { metadata: { ownerReferences: null } } },
    );

    const later = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });

    assert.deepEqual(await later.prune(), []);
    assert.equal(await later.delete("reborn"), false);
    assert.equal(bench.api.all("configmaps").length, 2);
  });

  it("deletes an owned object that another client has changed meanwhile", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });
    await handle.apply(web("1"));
    await otherClient(bench.api).patch(ConfigMap, at, { merge: { data: { b: "2" } } });

    assert.equal(await handle.delete("web"), true);

    assert.equal(bench.api.read("configmaps", "default/web"), undefined);
  });

  it("prunes objects that were neither written nor named in this reconcile", async () => {
    const api = await apiWithBox();
    const first = new Bench(api);
    const handle = ownedHandle(kind, { ...first.begin(), informer: first.configMaps });
    for (const name of ["one", "two", "three"]) await handle.apply({ metadata: { name } });
    const metadata = { namespace: "default", name: "theirs" };
    await otherClient(api).create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata });
    const second = new Bench(api);
    const later = ownedHandle(kind, { ...second.begin(), informer: second.configMaps });
    await later.apply({ metadata: { name: "one" } });

    const pruned = await later.prune({ keep: ["two"] });

    assert.deepEqual(pruned, ["default/three"]);
    assert.deepEqual(
      api.all("configmaps").map(({ metadata: { name } }) => name),
      ["one", "two", "theirs"],
    );
  });

  it("lists owned objects by labels", async () => {
    const bench = new Bench(await apiWithBox());
    const handle = ownedHandle(kind, { ...bench.begin(), informer: bench.configMaps });
    await handle.apply({ metadata: { name: "one", labels: { tier: "web" } } });
    await handle.apply({ metadata: { name: "two" } });

    assert.deepEqual(
      handle.list({ labels: "tier=web" }).map(({ metadata }) => metadata.name),
      ["one"],
    );
    assert.equal(handle.list({ namespace: "elsewhere" }).length, 0);
  });
});
