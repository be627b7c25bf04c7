import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { Bench, conditionOf, namespace, quick } from "../testing/bench.ts";

/** The CRD may be older than the operator, so the operator must not rely on its defaults and rules. */
describe("a cluster whose CRD has no defaults and no validation", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;
  const minimal = { controllers: 1, ingestNodes: 1, storage: {}, metastore: { database: "embedded" }, ...quick };
  before(async () => {
    bench = await Bench.start({ hasLooseCrds: true });
    operator = await bench.run();
  });
  after(async () => {
    await operator.stop();
    await bench[Symbol.asyncDispose]();
  });

  it("runs with the defaults of the operator, and is deleted with them", async () => {
    await bench.createAny("bare", minimal);
    const running = await bench.waitFor("bare", ({ status }) => status.phase === "Running");
    await bench.client.delete(ChronikCluster, { namespace, name: "bare" });
    await bench.untilDeleted("bare");

    assert.equal(running.status.storage?.requested, "10Gi");
    const claims = await bench.claims("bare");
    assert.equal(claims.length, 2);
    assert.ok(claims.every(({ metadata }) => metadata.deletionTimestamp === undefined));
  });

  const invalid: readonly (readonly [title: string, spec: object | null, message: RegExp])[] = [
    ["no controllers", { ...minimal, controllers: 0 }, /spec\.controllers/],
    ["no ingest nodes", { ...minimal, ingestNodes: 0 }, /spec\.ingestNodes/],
    ["a negative number of search nodes", { ...minimal, searchNodes: -1 }, /spec\.searchNodes/],
    ["a bad quantity", { ...minimal, storage: { size: "ten" } }, /spec\.storage\.size/],
    [
      "a minimum above the maximum",
      {
        ...minimal,
        resources: { search: { cpu: "1", memory: "1Gi" } },
        autoscaling: { searchNodes: { minReplicas: 3, maxReplicas: 2, targetCpuUtilizationPercentage: 50 } },
      },
      /minReplicas/,
    ],
    ["a backend without its bucket", { ...minimal, storage: { backend: "s3" } }, /s3/],
    ["a wrong type", { ...minimal, storage: 5 }, /spec\.storage/],
    ["no spec", null, /spec/],
  ];

  it("is Failed with an invalid spec, is tried again after 5 to 10 minutes, and can be deleted", async () => {
    const name = (index: number): string => `bad-${index}`;
    for (const [index, [, spec]] of invalid.entries()) await bench.createAny(name(index), spec);

    for (const [index, [title, , message]] of invalid.entries()) {
      const failed = await bench.phase(name(index), "Failed");
      assert.match(conditionOf(failed, "SpecValid") ?? "", /^False ValidationFailed/, title);
      assert.match(conditionOf(failed, "Ready") ?? "", /^False ValidationFailed/, title);
      assert.match(failed.status.lastError?.message ?? "", message, title);
      assert.deepEqual(await bench.objects(name(index)), [], title);
    }
    const reconciles = (): number =>
      operator.metric("chronik_operator_reconciliations_total", {
        controller: "chronikcluster",
        result: "permanent",
      }) ?? 0;
    const first = reconciles();
    await bench.pass(290_000, 10);
    const early = reconciles();
    await bench.pass(320_000, 10);
    const late = reconciles();
    for (const index of invalid.keys()) await bench.client.delete(ChronikCluster, { namespace, name: name(index) });
    for (const index of invalid.keys()) await bench.untilDeleted(name(index));

    assert.equal(first, invalid.length);
    assert.equal(early, first);
    assert.ok(late >= 2 * first, `${late} reconciles after ten minutes`);
  });

  it("keeps all objects when an immutable field is changed", async () => {
    await bench.createAny("kept", minimal);
    await bench.waitFor("kept", ({ status }) => status.phase === "Running");
    const versions = async (): Promise<readonly (string | undefined)[]> =>
      Promise.all([
        bench.object(StatefulSet, "kept-controller").then(({ metadata }) => metadata.resourceVersion),
        bench.object(StatefulSet, "kept-ingest").then(({ metadata }) => metadata.resourceVersion),
        bench.object(ConfigMap, "kept-config").then(({ metadata }) => metadata.resourceVersion),
      ]);
    const before = [await versions(), await bench.uids("kept"), await bench.claims("kept")] as const;

    const changes: readonly (readonly [object, RegExp])[] = [
      [{ storage: { size: "1Gi" } }, /spec\.storage\.size/],
      [{ storage: { storageClass: "other" } }, /spec\.storage\.storageClass/],
      [{ storage: { backend: "s3", s3: { bucket: "data", region: "eu" } } }, /spec\.storage\.backend/],
    ];
    for (const [change, message] of changes) {
      await bench.change("kept", { storage: null });
      await bench.change("kept", { ...change, config: { common: { also: "changed" } } });
      const failed = await bench.waitFor("kept", ({ status }) => message.test(status.lastError?.message ?? ""));
      assert.equal(failed.status.phase, "Failed");
      assert.equal(failed.status.lastError?.reason, "ImmutableFieldChanged");
    }
    assert.deepEqual([await versions(), await bench.uids("kept"), await bench.claims("kept")], before);
    await bench.change("kept", { storage: { backend: null, s3: null, storageClass: null, size: null }, config: null });
    await bench.waitFor("kept", ({ status }) => status.phase === "Running");

    assert.deepEqual(await bench.uids("kept"), before[1]);
  });
});
