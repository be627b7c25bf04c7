import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { InvalidError } from "@homeostat/core";
import { apiWithBox, Bench, Box, settled, otherClient } from "../testing/writes-bench.ts";
import type { FakeApi } from "../testing/writes-api.ts";
import { ensureFinalizer, releaseFinalizer } from "./finalizer.ts";

const name = { namespace: "default", name: "a" };
const ours = "example.com/ours";

async function setFinalizers(api: FakeApi, finalizers: string[]): Promise<void> {
  await otherClient(api).patch(Box, name, { merge: { metadata: { finalizers } } });
}

function finalizersOf(api: FakeApi): string[] | undefined {
  return api.read("boxes", "default/a")?.metadata.finalizers;
}

describe("ensureFinalizer", () => {
  it("adds the finalizer once", async () => {
    const bench = new Bench(await apiWithBox());

    const added = await ensureFinalizer(bench.begin(), ours);
    assert.ok(added.result === "held");
    const there = await ensureFinalizer({ ...bench.begin(), object: added.object }, ours);

    assert.equal(there.result, "held");
    assert.deepEqual(finalizersOf(bench.api), [ours]);
    assert.equal(bench.api.requests.length, 1);
  });

  it("sets annotations in the same request", async () => {
    const annotations = { "example.com/kinds": "ConfigMap" };
    for (const existing of [undefined, { "example.com/other": "x" }]) {
      const api = await apiWithBox();
      if (existing) await otherClient(api).patch(Box, name, { merge: { metadata: { annotations: existing } } });
      const bench = new Bench(api);
      api.requests.length = 0;

      await ensureFinalizer(bench.begin(), ours, { annotations });

      const { metadata } = api.read("boxes", "default/a") ?? {};
      assert.deepEqual(metadata?.annotations, { ...existing, ...annotations });
      assert.deepEqual(metadata?.finalizers, [ours]);
      assert.equal(api.requests.length, 1);
    }
  });

  it("keeps annotations that another client sets meanwhile, and those that exist", async () => {
    const api = await apiWithBox();
    const bench = new Bench(api);
    const kept = { "example.com/kinds": "Secret" };
    await otherClient(api).patch(Box, name, { merge: { metadata: { annotations: kept } } });

    const annotations = { "example.com/kinds": "ConfigMap" };
    await settled(bench.clock, ensureFinalizer(bench.begin(), ours, { annotations }));

    const { metadata } = api.read("boxes", "default/a") ?? {};
    assert.deepEqual(metadata?.annotations, kept);
    assert.deepEqual(metadata?.finalizers, [ours]);
  });

  it("appends the finalizer to those that were added meanwhile", async () => {
    const bench = new Bench(await apiWithBox());
    await setFinalizers(bench.api, ["example.com/a"]);
    const first = new Bench(bench.api);
    await setFinalizers(bench.api, ["example.com/a", "example.com/b"]);

    const added = await settled(bench.clock, ensureFinalizer(bench.begin(), ours));
    await settled(first.clock, ensureFinalizer(first.begin(), "example.com/c"));

    assert.equal(added.result, "held");
    assert.deepEqual(finalizersOf(bench.api), ["example.com/a", "example.com/b", ours, "example.com/c"]);
  });

  it("replaces former finalizers, and keeps those that were added meanwhile", async () => {
    const api = await apiWithBox();
    await setFinalizers(api, ["example.com/former", "example.com/a"]);
    const bench = new Bench(api);
    await setFinalizers(api, ["example.com/former", "example.com/a", "example.com/b"]);

    const held = await settled(
      bench.clock,
      ensureFinalizer(bench.begin(), ours, { formerly: ["example.com/former", "example.com/older"] }),
    );

    assert.equal(held.result, "held");
    assert.deepEqual(finalizersOf(api), ["example.com/a", "example.com/b", ours]);
  });

  it("does not conflict with changes of other fields when there are other finalizers", async () => {
    const api = await apiWithBox();
    await setFinalizers(api, ["example.com/a"]);
    const bench = new Bench(api);
    await otherClient(api).patch(Box, name, { merge: { spec: { size: 5 } } });

    await ensureFinalizer(bench.begin(), ours);

    assert.deepEqual(bench.results, ["patch boxes.example.com written"]);
  });

  it("does not add the finalizer twice when the cache is outdated", async () => {
    const api = await apiWithBox();
    await setFinalizers(api, ["example.com/a"]);
    const bench = new Bench(api);
    await setFinalizers(api, ["example.com/a", ours]);

    const held = await settled(bench.clock, ensureFinalizer(bench.begin(), ours));

    assert.equal(held.result, "held");
    assert.deepEqual(finalizersOf(api), ["example.com/a", ours]);
  });

  it("reports an object that is being deleted, was deleted, or was recreated", async () => {
    const bench = new Bench(await apiWithBox());
    const scope = bench.begin();
    const other = otherClient(bench.api);
    await setFinalizers(bench.api, ["example.com/a"]);
    await other.delete(Box, name);

    const leaving = await settled(bench.clock, ensureFinalizer(scope, ours));
    await setFinalizers(bench.api, []);
    const deleted = await settled(bench.clock, ensureFinalizer(scope, ours));
    await other.create(Box, { apiVersion: "example.com/v1", kind: "Box", metadata: name });
    const another = await settled(bench.clock, ensureFinalizer(scope, ours));

    assert.deepEqual([leaving.result, deleted.result, another.result], ["leaving", "gone", "gone"]);
    assert.equal(finalizersOf(bench.api), undefined);
  });

  it("throws a rejection that other clients have not caused", async () => {
    const bench = new Bench(await apiWithBox());
    const scope = bench.begin();
    const rejection = new InvalidError({
      status: 422,
      reason: "Invalid",
      serverMessage: "spec.size is not allowed",
      causes: [],
      details: {},
      hasStatus: true,
    });
    const client = { ...scope.client, patch: () => Promise.reject(rejection) };

    await assert.rejects(settled(bench.clock, ensureFinalizer({ ...scope, client }, ours)), rejection);

    assert.equal(bench.api.requests.length, 1, "the patch is sent once and not retried");
  });
});

describe("releaseFinalizer", () => {
  it("removes its own finalizer at any position", async () => {
    const api = await apiWithBox();
    await setFinalizers(api, ["example.com/a", ours, "example.com/b"]);
    const bench = new Bench(api);
    await setFinalizers(api, ["example.com/new", "example.com/a", ours, "example.com/b"]);

    const free = await settled(bench.clock, releaseFinalizer(bench.begin(), ours));

    assert.equal(free.result, "free");
    assert.deepEqual(finalizersOf(api), ["example.com/new", "example.com/a", "example.com/b"]);
  });

  it("completes a deletion, and succeeds when the object does not exist", async () => {
    const api = await apiWithBox();
    await setFinalizers(api, [ours]);
    const bench = new Bench(api);
    await otherClient(api).delete(Box, name);
    const scope = bench.begin();

    const freed = await settled(bench.clock, releaseFinalizer(scope, ours));
    const deleted = await settled(bench.clock, releaseFinalizer(scope, ours));

    assert.deepEqual([freed.result, deleted.result], ["free", "gone"]);
    assert.equal(api.read("boxes", "default/a"), undefined);
  });

  it("keeps the finalizer of a recreated object of the same name", async () => {
    const api = await apiWithBox();
    await setFinalizers(api, [ours]);
    const bench = new Bench(api);
    await setFinalizers(api, []);
    const other = otherClient(api);
    await other.delete(Box, name);
    const metadata = { ...name, finalizers: [ours] };
    await other.create(Box, { apiVersion: "example.com/v1", kind: "Box", metadata });

    const deleted = await settled(bench.clock, releaseFinalizer(bench.begin(), ours));

    assert.equal(deleted.result, "gone");
    assert.deepEqual(finalizersOf(api), [ours]);
  });

  it("sends nothing when the object does not have the finalizer", async () => {
    const bench = new Bench(await apiWithBox());

    const free = await releaseFinalizer(bench.begin(), ours);

    assert.deepEqual([free.result, bench.api.requests], ["free", []]);
  });
});
