// The client on the embedded API server.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, createClient, loadConnection } from "@homeostat/client";
import { ConflictError, NotFoundError } from "@homeostat/core";
import { ConfigMap, Namespace } from "@homeostat/kubernetes/core/v1";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Embedded, startEmbedded } from "../../harness/embedded.ts";

describe("the client on the embedded API server", () => {
  let embedded: Embedded;
  let client: Client;
  let folder: string;

  before(async () => {
    embedded = await startEmbedded();
    folder = await mkdtemp(join(tmpdir(), "homeostat-embedded-"));
    const file = join(folder, "kubeconfig");
    await writeFile(file, embedded.server.kubeconfig(), { mode: 0o600 });
    client = createClient(await loadConnection({ file }));
  });

  after(async () => {
    client.close();
    await embedded.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const name = { namespace: "default", name: "a" };
  const map = (value: string): ConfigMap => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...name },
    data: { k: value },
  });

  it("writes, reads, lists and deletes", async () => {
    const created = await client.create(ConfigMap, map("1"));
    const found = await client.get(ConfigMap, name);
    const { items } = await client.list(ConfigMap, { namespace: "default" });
    await client.delete(ConfigMap, name);

    assert.deepEqual(found, created);
    assert.ok(items.some(({ metadata }) => metadata.name === "a"));
    assert.equal(await client.get(ConfigMap, name), undefined);
  });

  it("rejects with ConflictError, and returns undefined for objects that do not exist", async () => {
    const created = await client.create(ConfigMap, map("1"));
    await client.update(ConfigMap, { ...created, data: { k: "2" } });

    await assert.rejects(client.update(ConfigMap, { ...created, data: { k: "3" } }), ConflictError);
    await assert.rejects(
      client.create(ConfigMap, { ...map("1"), metadata: { ...name, namespace: "absent" } }),
      NotFoundError,
    );
    await client.delete(ConfigMap, name);
  });

  it("watches from the resource version of a list", async () => {
    const stop = new AbortController();
    const { resourceVersion } = await client.list(ConfigMap, { namespace: "default" });
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of client.watch(ConfigMap, {
        namespace: "default",
        resourceVersion,
        signal: stop.signal,
      })) {
        seen.push(event.type);
        if (seen.length === 3) return;
      }
    })();
    const created = await client.create(ConfigMap, map("1"));
    await client.update(ConfigMap, { ...created, data: { k: "2" } });
    await client.delete(ConfigMap, name);
    await watching;

    stop.abort();
    assert.deepEqual(seen, ["ADDED", "MODIFIED", "DELETED"]);
  });

  it("discovers every kind by its name", async () => {
    const found = await client.mapper.byName("deploy");

    assert.equal(found?.kind, "Deployment");
    assert.ok((await client.list(Namespace)).items.length >= 4);
  });
});
