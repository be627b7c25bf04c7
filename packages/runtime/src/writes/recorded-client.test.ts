import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConflictError, InternalServerError, NetworkError } from "@homeostat/core";
import { apiWithBox, Bench, Box, ConfigMap, otherClient } from "../testing/writes-bench.ts";
import { evidenceOfApply, evidenceOfPatch } from "./evidence.ts";

const at = { namespace: "default", name: "web" };
const web = { apiVersion: "v1", kind: "ConfigMap", metadata: at, data: { a: "1" } };

describe("recordedClient", () => {
  it("records a created object in the cache as new", async () => {
    const bench = new Bench(await apiWithBox());

    await bench.begin().client.create(ConfigMap, web);

    assert.deepEqual(bench.configMaps.tickets, [{ key: "default/web", result: "wrote", evidence: { isNew: true } }]);
    assert.deepEqual(bench.configMaps.get("default/web")?.["data"], { a: "1" });
    assert.deepEqual(bench.results, ["create configmaps written"]);
  });

  it("generates names itself, and tries another one when it is taken", async () => {
    const api = await apiWithBox();
    const metadata = { namespace: "default", generateName: `${"x".repeat(70)}-` };
    const first = await new Bench(api).begin().client.create(ConfigMap, { ...web, metadata });
    const bench = new Bench(api);

    // The same seed generates the same first name.
    const second = await bench.begin().client.create(ConfigMap, { ...web, metadata });

    assert.match(first.metadata.name ?? "", /^x{58}[a-z0-9]{5}$/);
    assert.notEqual(second.metadata.name, first.metadata.name);
    assert.deepEqual(bench.results, ["create configmaps failed", "create configmaps written"]);
    assert.equal(bench.configMaps.tickets.at(-1)?.key, `default/${second.metadata.name}`);
  });

  it("records the resource version that an update was based on", async () => {
    const bench = new Bench(await apiWithBox());
    const { client } = bench.begin();
    const object = await client.create(ConfigMap, web);

    await client.update(ConfigMap, { ...object, data: { a: "2" } });

    const basedOn = object.metadata.resourceVersion;
    assert.deepEqual(bench.configMaps.tickets.at(-1), { key: "default/web", result: "wrote", evidence: { basedOn } });
    assert.deepEqual(bench.notes.at(-1)?.fields, ["data.a"]);
  });

  it("records a write that changed nothing as unchanged", async () => {
    const bench = new Bench(await apiWithBox());
    const { client } = bench.begin();
    await client.create(ConfigMap, web);

    await client.patch(ConfigMap, at, { merge: { data: { a: "1" } } });

    assert.equal(bench.results.at(-1), "patch configmaps unchanged");
  });

  it("records a write that changed nothing as unchanged when the object is not cached", async () => {
    const bench = new Bench(await apiWithBox());
    const object = await otherClient(bench.api).create(ConfigMap, web);

    await bench.begin().client.update(ConfigMap, object);

    assert.deepEqual(bench.results, ["update configmaps unchanged"]);
  });

  it("records a deletion by the UID of its precondition", async () => {
    const bench = new Bench(await apiWithBox());
    const { client } = bench.begin();
    const { metadata } = await client.create(ConfigMap, web);

    await client.delete(ConfigMap, at, { preconditions: { uid: metadata.uid } });
    const { wasFound } = await client.delete(ConfigMap, at);

    assert.equal(wasFound, false);
    assert.equal(bench.configMaps.get("default/web"), undefined);
    assert.deepEqual(
      bench.configMaps.tickets.map(({ result }) => result),
      ["wrote", "deleted", "failed"],
    );
    assert.deepEqual(bench.results.slice(1), ["delete configmaps written", "delete configmaps unchanged"]);
  });

  it("does not record a dry run", async () => {
    const bench = new Bench(await apiWithBox());

    await bench.begin().client.create(ConfigMap, web, { dryRun: true });

    assert.deepEqual([bench.configMaps.tickets, bench.notes], [[], []]);
  });

  it("records a write with unknown outcome as failed", async () => {
    const bench = new Bench(await apiWithBox());
    const { client } = bench.begin();
    bench.api.fault = (number) => (number === 0 ? "cut after" : "failed before");

    await assert.rejects(client.create(ConfigMap, web), NetworkError);
    await assert.rejects(client.delete(ConfigMap, at), InternalServerError);

    assert.deepEqual(
      bench.configMaps.tickets.map(({ result }) => result),
      ["failed", "failed"],
    );
    assert.deepEqual(bench.results, ["create configmaps failed", "delete configmaps failed"]);
    assert.ok(bench.notes[0]?.error instanceof NetworkError);
  });

  it("records the subresource of a write", async () => {
    const bench = new Bench(await apiWithBox());
    const name = { namespace: "default", name: "a" };

    await bench.begin().client.patch(Box, name, { merge: { status: { phase: "Ready" } } }, { subresource: "status" });

    assert.deepEqual(bench.results, ["patch boxes.example.com/status written"]);
    assert.deepEqual(bench.notes[0]?.fields, ["status"]);
  });

  it("detects repeated creation of an object as a loop", async () => {
    const bench = new Bench(await apiWithBox());
    const { client } = bench.begin();

    for (let round = 0; round < 5; round += 1) {
      await client.create(ConfigMap, web);
      await otherClient(bench.api).delete(ConfigMap, at);
    }

    const [report] = bench.reports;
    assert.ok(report?.type === "hot-loop");
    assert.equal(report.loop.target, "create configmaps default/web");
    assert.equal(report.loop.type, "repeat");
  });

  it("throws the errors of the client", async () => {
    const bench = new Bench(await apiWithBox());
    const { client } = bench.begin();
    const object = await client.create(ConfigMap, web);
    await otherClient(bench.api).patch(ConfigMap, at, { merge: { data: { a: "3" } } });

    await assert.rejects(client.update(ConfigMap, object), ConflictError);
  });
});

describe("the evidence of a write", () => {
  it("is the resource version that a patch contains or tests", () => {
    const merge = { metadata: { resourceVersion: "7" }, status: {} };

    assert.deepEqual(evidenceOfPatch({ merge }), { sent: merge, basedOn: "7" });
    assert.deepEqual(evidenceOfPatch({ json: [{ op: "test", path: "/metadata/resourceVersion", value: "7" }] }), {
      basedOn: "7",
    });
    assert.deepEqual(evidenceOfPatch({ json: [{ op: "remove", path: "/spec/a" }] }), { basedOn: undefined });
    assert.deepEqual(evidenceOfPatch({ strategic: { spec: {} } }), { sent: { spec: {} }, basedOn: undefined });
  });

  it("is that no other manager has set any field", () => {
    const entry = { manager: "boxes", operation: "Apply" } as const;
    const answer = (managedFields: object[], metadata: object = {}): ReturnType<typeof evidenceOfApply> =>
      evidenceOfApply({}, { apiVersion: "v1", kind: "ConfigMap", metadata: { managedFields, ...metadata } });

    assert.equal(answer([entry]).isNew, true);
    assert.equal(answer([entry, { manager: "other", operation: "Update" }]).isNew, undefined);
    assert.equal(answer([{ ...entry, operation: "Update" }]).isNew, undefined);
    assert.equal(answer([entry], { generation: 2 }).isNew, undefined, "another client may have created it before");
    assert.equal(answer([entry], { deletionTimestamp: "2026-01-01T00:00:00Z" }).isNew, undefined);
    assert.equal(answer([]).isNew, undefined);
  });
});
