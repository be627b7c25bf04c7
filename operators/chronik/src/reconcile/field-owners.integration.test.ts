import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ConfigMap, Service } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/annotations.ts";
import { childTypes } from "../observe/kinds.ts";
import { Bench, conditionOf, namespace } from "../testing/bench.ts";

/** The tests run in order on one cluster. */
describe("fields of the objects of a cluster", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;
  before(async () => {
    bench = await Bench.start();
    operator = await bench.run();
    await bench.create("one", { controllers: 1, ingestNodes: 1 });
    await bench.running("one");
  });
  after(async () => {
    await operator.stop();
    await bench[Symbol.asyncDispose]();
  });

  const level = async (): Promise<string | undefined> =>
    (await bench.object(ConfigMap, "one-config")).data?.["log.level"];

  /** Sets a field of the operator as another field manager, by server-side apply. */
  async function takeLevel(value: string, fieldManager: string): Promise<void> {
    const object = { metadata: { namespace, name: "one-config" }, data: { "log.level": value } };
    await bench.client.apply(ConfigMap, object, { fieldManager, force: true });
  }

  const taken = async (): Promise<string[]> =>
    (await bench.events("one")).filter((event) => event.startsWith("Warning FieldTakenBack"));

  it("are taken back from another field manager, which an event names", async () => {
    await takeLevel("loud", "team-a");
    await bench.until("the correction", async () => (await level()) === "info");
    await bench.running("one");

    assert.deepEqual(await taken(), [
      "Warning FieldTakenBack: Took back fields of ConfigMap one-config from other field managers: data.log.level (team-a)",
    ]);
    assert.equal(operator.metric("chronik_operator_applies_total", { kind: "ConfigMap", result: "forced" }), 1);
  });

  it("are taken without asking if the annotation says always", async () => {
    await bench.annotate("one", annotations.applyForce, "always");
    await takeLevel("loud", "team-b");
    await bench.until("the correction", async () => (await level()) === "info");
    await bench.running("one");

    assert.equal((await taken()).length, 1);
    assert.equal(operator.metric("chronik_operator_applies_total", { kind: "ConfigMap", result: "forced" }), 1);
  });

  it("are left alone if the annotation says never: the cluster fails and names the field and its manager", async () => {
    await bench.annotate("one", annotations.applyForce, "never");
    await takeLevel("loud", "team-c");
    const failed = await bench.phase("one", "Failed");
    await bench.pass(60_000);

    assert.equal(await level(), "loud");
    const { class: errorClass, reason, object, message } = failed.status.lastError ?? {};
    assert.deepEqual([errorClass, reason, object], ["Permanent", "FieldConflict", `ConfigMap ${namespace}/one-config`]);
    assert.equal(
      message,
      `ConfigMap ${namespace}/one-config was not changed, because other field managers have set data.log.level (team-c). ` +
        "Configure them to release these fields, or set the annotation chronik.stream/apply-force of the cluster to owned.",
    );
    assert.equal(conditionOf(failed, "ReconcileSucceeded"), `False FieldConflict: ${message}`);
    assert.equal(operator.metric("chronik_operator_applies_total", { kind: "ConfigMap", result: "conflict" }), 1);
  });

  it("are applied without force by never if no other manager has set them", async () => {
    await takeLevel("info", "team-c");
    await bench.annotate("one", annotations.reconcileAt, "1");
    await bench.running("one");
    await bench.change("one", { config: { common: { a: "1" } } });
    await bench.running("one");

    assert.equal((await bench.object(ConfigMap, "one-config")).data?.["extra.a"], "1");
  });

  it("wait for a known value of the annotation", async () => {
    await bench.annotate("one", annotations.applyForce, "sometimes");
    const failed = await bench.phase("one", "Failed");
    const correctedAt = bench.clock.now();
    await bench.annotate("one", annotations.applyForce, null);
    await bench.running("one");

    assert.ok(bench.clock.now() - correctedAt < 30_000, "the annotation ends the wait");

    assert.equal(failed.status.lastError?.reason, "ValidationFailed");
    assert.match(
      failed.status.lastError.message,
      /metadata\.annotations\[chronik\.stream\/apply-force\]: .*"sometimes": must be one of owned, always, never/,
    );
  });
});

describe("a periodic apply of the objects of a cluster", () => {
  it("sends every object once per interval, and changes none that is as desired", async () => {
    await using bench = await Bench.start();
    await using operator = await bench.run({ settings: { forceApplySeconds: 600 } });
    await bench.create("one", { controllers: 1, ingestNodes: 1, searchNodes: 1 });
    await bench.running("one");
    const versions = async (): Promise<ReadonlyMap<string, string>> => {
      const found = new Map<string, string>();
      for (const type of childTypes) {
        const { items } = await bench.client.list(type, { namespace });
        for (const { metadata } of items)
          if (metadata.ownerReferences?.some(({ kind }) => kind === "ChronikCluster") === true)
            found.set(`${type.plural}/${metadata.name ?? ""}`, metadata.resourceVersion ?? "");
      }
      return found;
    };
    // The first apply of each object moves its fields to another entry of managedFields.
    await bench.pass(700_000, 140);
    const before = await versions();
    const writesBefore = operator.writes().length;
    const eventsBefore = (await bench.events("one")).length;

    // Periodic reconciles have a jitter, so the last one before the end may be more than a minute earlier.
    await bench.pass(600_000, 120);
    const sent = operator.writes().slice(writesBefore);
    const twice = sent.filter((write, index) => sent.indexOf(write) !== index);
    const missing = [...before.keys()].filter((name) => !sent.includes(`PATCH ${name}`));

    assert.ok(before.size >= 20, [...before.keys()].join());
    assert.deepEqual(await versions(), before);
    assert.ok(missing.length <= before.size / 5, `not applied: ${missing.join()}`);
    assert.ok(twice.length <= before.size / 5, `applied twice: ${twice.join()}`);
    assert.deepEqual((await bench.events("one")).slice(eventsBefore), []);
    assert.equal((await bench.object(Service, "one-ingest")).metadata.managedFields?.[0]?.operation, "Apply");
  });
});
