import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { managed } from "../kinds/kinds.ts";
import { Controller, Token, Widget } from "../testing/managed-bench.ts";
import type { FakeApi } from "../testing/writes-api.ts";
import { apiWithBox, Box, ConfigMap, otherClient, settled } from "../testing/writes-bench.ts";
import { desired, type DesiredObject, type Tier } from "./desired.ts";
import type { SyncOptions, SyncResult } from "./managed-objects.ts";
import { type SettledSet, SettledSets } from "./settled-sets.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;
const namespace = "default";

/** A controller whose set is described by a function, with the number of calls of that function. */
class Bench {
  readonly api: FakeApi;
  readonly controller: Controller;
  builds = 0;
  objects: readonly DesiredObject[] = [
    desired(ConfigMap, { metadata: { name: "a" }, data: { a: "1" } }),
    desired(Widget, { metadata: { name: "w" }, spec: { size: "s" } }),
  ];

  private constructor(api: FakeApi) {
    this.api = api;
    this.controller = new Controller(api, {
      kinds: [managed(ConfigMap), managed(Widget), managed(Token, { cached: false })],
    });
  }

  /** Returns a controller with a settled set: the first sync created the objects, the second one found nothing to do. */
  static async settled(options: SyncOptions = {}): Promise<Bench> {
    const bench = new Bench(await apiWithBox());
    await bench.sync(options);
    await bench.sync(options);
    bench.builds = 0;
    bench.api.requests.length = 0;
    return bench;
  }

  /** Syncs the caches, and then the set. */
  async sync(options: SyncOptions = {}): Promise<SyncResult> {
    const { controller } = this;
    controller.sync();
    const tiers = (): readonly Tier[] => {
      this.builds += 1;
      return [{ name: "all", objects: this.objects }];
    };
    return settled(controller.clock, controller.reconcile().sync(tiers, { inputs: "1", ...options }));
  }

  /** Syncs the set, and returns the results of its objects. */
  async results(options?: SyncOptions): Promise<readonly string[]> {
    const { outcomes, settled: objects } = await this.sync(options);
    return [...[...outcomes.values()].map(({ result }) => result), ...objects.map(() => "settled")];
  }
}

describe("a settled set", () => {
  it("is neither built nor compared, and names its objects", async () => {
    const bench = await Bench.settled();

    const { outcomes, settled: objects, pruned, failures } = await bench.sync();

    assert.equal(bench.builds, 0);
    assert.deepEqual([outcomes.size, pruned, failures, bench.api.requests], [0, [], [], []]);
    assert.deepEqual(
      objects.map(({ type, key }) => ({ kind: type.kind, key })),
      [
        { kind: "ConfigMap", key: { namespace, name: "a" } },
        { kind: "Widget", key: { namespace, name: "w" } },
      ],
    );
  });

  it("is built in every sync without inputs", async () => {
    const bench = await Bench.settled();

    assert.deepEqual(await bench.results({ inputs: undefined }), ["unchanged", "unchanged"]);
  });

  it("is built again when its inputs change", async () => {
    const bench = await Bench.settled();
    bench.objects = [desired(ConfigMap, { metadata: { name: "a" }, data: { a: "2" } })];

    const result = await bench.sync({ inputs: "2" });

    assert.deepEqual(
      [...result.outcomes.values()].map((outcome) => outcome.result),
      ["updated"],
    );
    assert.deepEqual(
      result.pruned.map(({ type, result: pruned }) => [type.kind, pruned]),
      [["Widget", "deleted"]],
    );
  });

  it("is built again when the inputs return to earlier ones, because one set per owner is remembered", async () => {
    const bench = await Bench.settled();
    for (let count = 0; count < 2; count += 1) await bench.sync({ inputs: "2" });

    assert.deepEqual(await bench.results({ inputs: "1" }), ["unchanged", "unchanged"]);
    assert.deepEqual(await bench.results({ inputs: "1" }), ["settled", "settled"]);
  });

  it("is built again when the primary object changes", async () => {
    const bench = await Bench.settled();
    await otherClient(bench.api).patch(
      Box,
      { namespace, name: "a" },
      { merge: { metadata: { annotations: { x: "1" } } } },
    );

    assert.deepEqual(await bench.results(), ["unchanged", "unchanged"]);
    assert.deepEqual(await bench.results(), ["settled", "settled"]);
  });

  it("is built again when other objects are kept, or the interval of periodic applies changes", async () => {
    const keep = [{ type: ConfigMap, key: { namespace, name: "kept" } }];

    for (const options of [{ keep }, { reapplyMs: hourMs }])
      assert.deepEqual(await (await Bench.settled()).results(options), ["unchanged", "unchanged"]);
  });

  it("is compared when a live object has changed, and drift is corrected", async () => {
    const bench = await Bench.settled();
    const key = { namespace, name: "a" };
    await otherClient(bench.api).patch(ConfigMap, key, { merge: { data: { a: "x" } } });

    assert.deepEqual(await bench.results(), ["corrected", "unchanged"]);
    await otherClient(bench.api).patch(ConfigMap, key, { merge: { metadata: { labels: { theirs: "1" } } } });
    assert.deepEqual(await bench.results(), ["unchanged", "unchanged"]);
    assert.deepEqual(await bench.results(), ["settled", "settled"]);
  });

  it("is compared when an object was deleted, and the object is created again", async () => {
    const bench = await Bench.settled();
    await otherClient(bench.api).delete(Widget, { namespace, name: "w" });

    assert.deepEqual(await bench.results({ wasComplete: true }), ["unchanged", "created"]);
    assert.deepEqual(
      bench.controller.reports.map(({ type }) => type),
      ["drift"],
    );
  });

  it("is compared when an object was replaced by another one of the same name", async () => {
    const bench = await Bench.settled();
    const { annotations = {}, ownerReferences = [] } = bench.api.read("configmaps", "default/a")?.metadata ?? {};
    const other = otherClient(bench.api);
    await other.delete(ConfigMap, { namespace, name: "a" });
    const copy = { namespace, name: "a", annotations, ownerReferences };
    await other.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: copy, data: { a: "x" } });

    assert.deepEqual(await bench.results(), ["corrected", "unchanged"]);
  });

  it("is compared when the primary object owns one more object, which is pruned", async () => {
    const bench = await Bench.settled();
    const { ownerReferences = [] } = bench.api.read("configmaps", "default/a")?.metadata ?? {};
    const metadata = { namespace, name: "extra", ownerReferences };
    await otherClient(bench.api).create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata });

    const { pruned } = await bench.sync();

    assert.deepEqual(
      pruned.map(({ key, result }) => [key.name, result]),
      [["extra", "deleted"]],
    );
  });

  it("may have kept objects, and is compared when one of them changes", async () => {
    const bench = await Bench.settled();
    const keep = [{ type: Widget, key: { namespace, name: "w" } }];
    bench.objects = bench.objects.slice(0, 1);
    await bench.sync({ keep });
    assert.deepEqual(await bench.results({ keep }), ["settled"]);

    await otherClient(bench.api).patch(Widget, { namespace, name: "w" }, { merge: { spec: { color: "red" } } });

    assert.deepEqual(await bench.results({ keep }), ["unchanged"]);
    assert.deepEqual(await bench.results({ keep }), ["settled"]);
  });

  it("has no objects of kinds that are not cached, because changes of them are not seen", async () => {
    const bench = await Bench.settled();
    bench.objects = [...bench.objects, desired(Token, { metadata: { name: "t" }, data: { a: "1" } })];
    for (let count = 0; count < 3; count += 1) await bench.sync({ inputs: "2" });
    await otherClient(bench.api).patch(Token, { namespace, name: "t" }, { merge: { data: { a: "x" } } });

    assert.deepEqual(await bench.results({ inputs: "2" }), ["unchanged", "unchanged", "corrected"]);
  });

  it("is not remembered after a sync that wrote or failed", async () => {
    const bench = await Bench.settled();
    bench.objects = [desired(ConfigMap, { metadata: { name: "a" }, data: { a: "2" } }), ...bench.objects.slice(1)];
    bench.api.fault = () => "failed before";
    assert.deepEqual(await bench.results({ inputs: "2" }), ["failed", "unchanged"]);
    bench.api.fault = () => undefined;

    assert.deepEqual(await bench.results({ inputs: "2" }), ["updated", "unchanged"]);
    assert.deepEqual(await bench.results({ inputs: "2" }), ["unchanged", "unchanged"]);
    assert.deepEqual(await bench.results({ inputs: "2" }), ["settled", "settled"]);
  });

  it("gets its periodic applies, each object once per interval", async () => {
    const options = { reapplyMs: hourMs };
    const bench = await Bench.settled(options);
    const { clock } = bench.controller;

    for (let minute = 0; minute < 120; minute += 1) {
      await clock.advance(minuteMs);
      await bench.sync(options);
    }

    const applies = bench.api.requests.filter((request) => request.startsWith("PATCH"));
    // The first apply of an object that was created by POST also moves its fields to the Apply entry.
    for (const name of ["configmaps default/a", "widgets default/w"])
      assert.equal(applies.filter((request) => request === `PATCH ${name}`).length, 3, name);
    assert.ok(bench.builds <= 8, `${bench.builds} builds in 120 syncs`);
  });
});

describe("SettledSets", () => {
  const set: SettledSet = {
    owner: "uid/1",
    inputs: "x",
    desired: [],
    others: [],
    ownedCount: 0,
    syncedAt: 1_000,
    reapplyAt: 2_000,
  };

  it("returns a set until an apply is due, and not after the clock was set back", () => {
    const sets = new SettledSets();
    sets.remember("default/a", set);

    const found = [999, 1_000, 1_999, 2_000].map((nowMs) => sets.find("default/a", set, nowMs) !== undefined);

    assert.deepEqual(found, [false, true, true, false]);
  });

  it("returns a set only for the same owner and inputs", () => {
    const sets = new SettledSets();
    sets.remember("default/a", set);

    assert.equal(sets.find("default/a", { ...set, owner: "uid/2" }, 1_000), undefined);
    assert.equal(sets.find("default/a", { ...set, inputs: "y" }, 1_000), undefined);
    assert.equal(sets.find("default/b", set, 1_000), undefined);
  });

  it("forgets deleted objects, and limits its memory", () => {
    const sets = new SettledSets({ ownersMax: 3 });
    for (const key of ["a", "b", "c", "d", "d"]) sets.remember(key, set);

    assert.equal(sets.size, 3);
    sets.forget("d");
    assert.equal(sets.size, 2);
  });
});
