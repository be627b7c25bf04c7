import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, type JsonRecord, SeededRandom } from "@homeostat/core";
import { listAt, textAt, valueAt } from "../values/fields.ts";
import { ApiServer } from "./api-server.ts";
import { ask, type Asked, type Told } from "../testing/ask.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const merge = { "content-type": "application/merge-patch+json" };
const apply = { "content-type": "application/apply-patch+yaml" };

function map(name: string, over: JsonRecord = {}): JsonRecord {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "1" }, ...over };
}

/** Runs a test with a server of its own, whose clock stands still. */
function newServer(): { server: ApiServer; send: (asked: Asked) => Promise<Told>; clock: FakeClock } {
  const clock = new FakeClock({ now: Date.parse("2026-01-02T03:04:05Z") });
  const server = new ApiServer({ clock, random: new SeededRandom(1) });
  return { server, clock, send: (asked) => ask(server, asked) };
}

function versionOf({ body }: Told): number {
  return Number(textAt(body, "metadata", "resourceVersion"));
}

describe("create", () => {
  it("returns the complete object: sent fields, server-set fields and managed fields", async () => {
    const { send } = newServer();

    const { status, type, body } = await send({ method: "POST", path: maps, body: map("a") });

    assert.equal(status, 201);
    assert.equal(type, "application/json");
    assert.deepEqual(Object.keys(body), ["kind", "apiVersion", "metadata", "data"]);
    assert.equal(textAt(body, "metadata", "creationTimestamp"), "2026-01-02T03:04:05Z");
    assert.match(textAt(body, "metadata", "uid"), /^[0-9a-f-]{36}$/);
    assert.deepEqual(listAt(body, "metadata", "managedFields"), [
      {
        manager: "test",
        operation: "Update",
        apiVersion: "v1",
        time: "2026-01-02T03:04:05Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { ".": {}, "f:a": {} } },
      },
    ]);
  });

  it("refuses a name that exists and an invalid name", async () => {
    const { send } = newServer();
    await send({ method: "POST", path: maps, body: map("a") });

    const again = await send({ method: "POST", path: maps, body: map("a") });
    const bad = await send({ method: "POST", path: maps, body: map("A_B") });

    assert.deepEqual([again.status, again.body["message"]], [409, 'configmaps "a" already exists']);
    assert.deepEqual([bad.status, bad.body["reason"]], [422, "Invalid"]);
  });

  it("generates a name, and stores nothing in a dry run", async () => {
    const { send, server } = newServer();
    await server.ready();
    const before = server.store.revision;

    const created = await send({
      method: "POST",
      path: `${maps}?dryRun=All`,
      body: map("", { metadata: { generateName: "web-" } }),
    });

    assert.match(textAt(created.body, "metadata", "name"), /^web-[a-z0-9]{5}$/);
    assert.equal(valueAt(created.body, "metadata", "resourceVersion"), undefined);
    assert.equal(server.store.revision, before);
  });

  it("warns about unknown fields or refuses them", async () => {
    const { send } = newServer();

    const warned = await send({ method: "POST", path: maps, body: map("a", { colour: 1 }) });
    const strict = await send({
      method: "POST",
      path: `${maps}?fieldValidation=Strict`,
      body: map("b", { colour: 1 }),
    });

    assert.deepEqual([warned.status, warned.warnings], [201, ['unknown field "colour"']]);
    assert.equal(
      strict.body["message"],
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "colour"',
    );
  });
});

describe("update", () => {
  it("writes nothing when nothing changes", async () => {
    const { send } = newServer();
    const created = await send({ method: "POST", path: maps, body: map("a") });

    const same = await send({ method: "PUT", path: `${maps}/a`, body: map("a") });
    const other = await send({ method: "PUT", path: `${maps}/a`, body: map("a", { data: { a: "2" } }) });

    assert.equal(versionOf(same), versionOf(created));
    assert.equal(versionOf(other), versionOf(created) + 1);
  });

  it("refuses an outdated resourceVersion, another uid and another name", async () => {
    const { send } = newServer();
    await send({ method: "POST", path: maps, body: map("a") });
    const put = (metadata: JsonRecord): Promise<Told> =>
      send({ method: "PUT", path: `${maps}/a`, body: map("a", { metadata }) });

    const [old, uid, name] = [
      await put({ name: "a", resourceVersion: "1" }),
      await put({ name: "a", uid: "x" }),
      await put({ name: "b" }),
    ];

    assert.deepEqual([old.status, uid.status, name.status], [409, 409, 400]);
    assert.match(String(old.body["message"]), /the object has been modified/);
    assert.equal(name.body["message"], "the name of the object (b) does not match the name on the URL (a)");
  });

  it("creates a missing object only if the kind allows it", async () => {
    const { send } = newServer();
    const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l" } };

    const missing = await send({ method: "PUT", path: `${maps}/a`, body: map("a") });
    const created = await send({ method: "PUT", path: `${leases}/l`, body: lease });

    assert.deepEqual([missing.status, created.status], [404, 201]);
  });

  it("increments the generation for spec changes and keeps the status separate", async () => {
    const { send } = newServer();
    const path = "/apis/apps/v1/namespaces/default/deployments";
    const pod = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const spec = { selector: { matchLabels: { a: "b" } }, template: pod };
    const body = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" }, spec, status: { replicas: 7 } };

    const created = await send({ method: "POST", path, body });
    const scaled = await send({ method: "PATCH", path: `${path}/d`, headers: merge, body: { spec: { replicas: 3 } } });
    const status = await send({
      method: "PATCH",
      path: `${path}/d/status`,
      headers: merge,
      body: { status: { replicas: 2 }, spec: { replicas: 9 } },
    });

    assert.deepEqual([valueAt(created.body, "status"), valueAt(created.body, "metadata", "generation")], [{}, 1]);
    assert.equal(valueAt(scaled.body, "metadata", "generation"), 2);
    assert.deepEqual([valueAt(status.body, "status", "replicas"), valueAt(status.body, "spec", "replicas")], [2, 3]);
    assert.equal(valueAt(status.body, "metadata", "generation"), 2);
  });
});

describe("patch and apply", () => {
  it("applies a patch to the stored object unless its resourceVersion differs", async () => {
    const { send } = newServer();
    await send({ method: "POST", path: maps, body: map("a") });
    const patch = (body: unknown): Promise<Told> => send({ method: "PATCH", path: `${maps}/a`, headers: merge, body });

    const added = await patch({ data: { b: "2" } });
    const stale = await patch({ metadata: { resourceVersion: "1" }, data: { b: "3" } });

    assert.deepEqual(added.body["data"], { a: "1", b: "2" });
    assert.equal(stale.status, 409);
  });

  it("creates an object by apply and reports fields of other field managers", async () => {
    const { send } = newServer();
    const by = (manager: string, value: string, force = false): Promise<Told> =>
      send({
        method: "PATCH",
        path: `${maps}/a?fieldManager=${manager}&force=${String(force)}`,
        headers: apply,
        body: map("a", { data: { a: value } }),
      });

    const [first, refused, forced] = [await by("one", "1"), await by("two", "2"), await by("two", "2", true)];

    assert.deepEqual([first.status, refused.status, forced.status], [201, 409, 200]);
    assert.equal(refused.body["message"], 'Apply failed with 1 conflict: conflict with "one": .data.a');
    assert.deepEqual(forced.body["data"], { a: "2" });
  });
});

describe("delete", () => {
  it("returns the deleted object and keeps one that has finalizers", async () => {
    const { send } = newServer();
    await send({ method: "POST", path: maps, body: map("a") });
    await send({ method: "POST", path: maps, body: map("b", { metadata: { name: "b", finalizers: ["x.y/z"] } }) });

    const deleted = await send({ method: "DELETE", path: `${maps}/a` });
    const held = await send({ method: "DELETE", path: `${maps}/b` });
    const freed = await send({
      method: "PATCH",
      path: `${maps}/b`,
      headers: merge,
      body: { metadata: { finalizers: null } },
    });
    const after = await send({ path: `${maps}/b` });

    assert.deepEqual([deleted.body["status"], valueAt(deleted.body, "details", "name")], ["Success", "a"]);
    assert.deepEqual([held.status, textAt(held.body, "metadata", "deletionTimestamp")], [200, "2026-01-02T03:04:05Z"]);
    assert.deepEqual([freed.status, after.status], [200, 404]);
  });

  it("refuses a precondition that does not match", async () => {
    const { send } = newServer();
    await send({ method: "POST", path: maps, body: map("a") });

    const { status, body } = await send({
      method: "DELETE",
      path: `${maps}/a`,
      body: { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "x" } },
    });

    assert.equal(status, 409);
    assert.match(String(body["message"]), /on ConfigMap "a": the UID in the precondition \(x\)/);
  });

  it("deletes all matching objects and keeps the others", async () => {
    const { send } = newServer();
    for (const name of ["a", "b", "c"])
      await send({ method: "POST", path: maps, body: map(name, { metadata: { name, labels: { is: name } } }) });

    const deleted = await send({ method: "DELETE", path: `${maps}?labelSelector=is+in+(a,b)` });
    const left = await send({ path: maps });

    assert.deepEqual(
      listAt(deleted.body, "items").map((each) => textAt(each, "metadata", "name")),
      ["a", "b"],
    );
    assert.deepEqual(
      listAt(left.body, "items").map((each) => textAt(each, "metadata", "name")),
      ["c"],
    );
  });

  it("marks a namespace as Terminating and keeps it while it has finalizers", async () => {
    const { send } = newServer();
    const spaces = "/api/v1/namespaces";
    await send({
      method: "POST",
      path: spaces,
      body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } },
    });

    const begun = await send({ method: "DELETE", path: `${spaces}/n` });

    assert.deepEqual([begun.status, textAt(begun.body, "status", "phase")], [200, "Terminating"]);
    assert.equal((await send({ path: `${spaces}/n` })).status, 200);
  });
});

describe("events", () => {
  it("expire one hour after their last write", async () => {
    const { send, clock } = newServer();
    const path = "/api/v1/namespaces/default/events";
    const about = { kind: "Pod", namespace: "default", name: "p" };
    await send({
      method: "POST",
      path,
      body: { apiVersion: "v1", kind: "Event", metadata: { name: "e" }, involvedObject: about, reason: "R" },
    });

    const inBothGroups = await send({ path: "/apis/events.k8s.io/v1/namespaces/default/events/e" });
    await clock.advance(3_599_000);
    const before = await send({ path: `${path}/e` });
    await clock.advance(2_000);
    const after = await send({ path: `${path}/e` });

    assert.deepEqual(valueAt(inBothGroups.body, "regarding"), about);
    assert.deepEqual([before.status, after.status], [200, 404]);
  });
});
