import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Client, createClient } from "@homeostat/client";
import {
  AlreadyExistsError,
  ConflictError,
  FakeClock,
  InvalidError,
  type KubeObject,
  NotFoundError,
} from "@homeostat/core";
import { ConfigMap, Namespace, Pod } from "@homeostat/kubernetes/core/v1";
import { KindTable } from "./kind-table.ts";
import { MemoryApi } from "./memory-api.ts";

const metadata = { namespace: "default", name: "a" };
const names = { apiVersion: "v1", kind: "ConfigMap" } as const;

function start(...objects: KubeObject[]): { readonly api: MemoryApi; readonly client: Client } {
  const clock = new FakeClock();
  const api = new MemoryApi({ kinds: new KindTable([ConfigMap, Namespace, Pod]), clock, objects });
  return { api, client: createClient(api, { clock, retries: false, defaults: { fieldManager: "one" } }) };
}

describe("the API server in memory", () => {
  it("creates, reads, changes and deletes objects with versions and UIDs", async () => {
    const { client } = start();

    const made = await client.create(ConfigMap, { ...names, metadata, data: { a: "1" } });
    await assert.rejects(client.create(ConfigMap, { ...names, metadata }), AlreadyExistsError);
    const changed = await client.patch(ConfigMap, metadata, { merge: { data: { b: "2" } } });
    await assert.rejects(client.update(ConfigMap, { ...made, data: {} }), ConflictError);

    assert.deepEqual(changed.data, { a: "1", b: "2" });
    assert.equal(changed.metadata.uid, made.metadata.uid);
    assert.notEqual(changed.metadata.resourceVersion, made.metadata.resourceVersion);
    await assert.rejects(client.delete(ConfigMap, metadata, { preconditions: { uid: "other" } }), ConflictError);
    await client.delete(ConfigMap, metadata);
    assert.equal(await client.get(ConfigMap, metadata), undefined);
  });

  it("applies fields of a manager, removes those that it leaves out, and reports conflicts", async () => {
    const { client } = start();
    const apply = (fieldManager: string, data: Record<string, string>, force = false): Promise<ConfigMap> =>
      client.apply(ConfigMap, { ...names, metadata, data }, { fieldManager, force });

    await apply("one", { a: "1", b: "1" });
    await apply("two", { c: "2" });
    const smaller = await apply("one", { a: "1" });
    await assert.rejects(apply("two", { a: "2" }), (error) => {
      assert.ok(error instanceof ConflictError);
      assert.match(error.message, /conflict with "one": \.data\.a/);
      return true;
    });
    const taken = await apply("two", { a: "2" }, true);

    assert.deepEqual(smaller.data, { a: "1", c: "2" });
    assert.deepEqual(taken.data, { a: "2" });
  });

  it("keeps an object with finalizers until they are removed", async () => {
    const { client, api } = start({ ...names, metadata: { ...metadata, finalizers: ["example.com/a"] } });

    await client.delete(ConfigMap, metadata);
    assert.equal((await client.get(ConfigMap, metadata))?.metadata.deletionTimestamp, "2026-01-01T00:00:00Z");
    await assert.rejects(
      client.patch(ConfigMap, metadata, { merge: { metadata: { finalizers: ["example.com/a", "example.com/b"] } } }),
      InvalidError,
    );
    await client.patch(ConfigMap, metadata, { json: [{ op: "remove", path: "/metadata/finalizers" }] });

    assert.equal(await client.get(ConfigMap, metadata), undefined);
    assert.equal(api.writes.at(-1)?.object, undefined);
  });

  it("stores nothing for a dry run", async () => {
    const { client, api } = start();

    const made = await client.create(ConfigMap, { ...names, metadata }, { dryRun: true });

    assert.equal(made.metadata.name, "a");
    assert.equal(await client.get(ConfigMap, metadata), undefined);
    assert.deepEqual(
      api.writes.map(({ isDryRun }) => isDryRun),
      [true],
    );
  });

  it("selects by namespace, labels and fields", async () => {
    const pod = (name: string, labels: Record<string, string>): KubeObject => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "default", name, labels },
    });
    const { client } = start(pod("a", { app: "web" }), pod("b", { app: "db" }), pod("c", { app: "web" }));
    const namesOf = async (options: Parameters<Client["list"]>[1]): Promise<(string | undefined)[]> =>
      (await client.list(Pod, options)).items.map(({ metadata: { name } }) => name);

    assert.deepEqual(await namesOf({ labelSelector: "app=web" }), ["a", "c"]);
    assert.deepEqual(await namesOf({ fieldSelector: "metadata.name=b" }), ["b"]);
    assert.deepEqual(await namesOf({ namespace: "kube-system" }), []);
    await client.deleteCollection(Pod, { namespace: "default", labelSelector: "app=web" });
    await client.evict({ namespace: "default", name: "b" });
    assert.deepEqual(await namesOf({}), []);
  });

  it("distinguishes a Namespace from the objects in it, and refuses unknown subresources", async () => {
    const { client } = start(
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } },
      { ...names, metadata },
    );

    assert.equal((await client.get(Namespace, { name: "default" }))?.kind, "Namespace");
    assert.equal((await client.list(ConfigMap, { namespace: "default" })).items.length, 1);
    await assert.rejects(
      client.patch(ConfigMap, metadata, { merge: { spec: { replicas: 1 } } }, { subresource: "scale" }),
      NotFoundError,
    );
  });
});
