import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, type JsonRecord, nextTurn, SeededRandom } from "@homeostat/core";
import { decodeStored, findShared } from "../registry/stored-object.ts";
import { MemoryFiles } from "../testing/memory-files.ts";
import { dataErrorFrom } from "../storage/node-files.ts";
import { openStore, type OpenedStore } from "../storage/open-store.ts";
import { textAt } from "../values/fields.ts";
import { ApiServer } from "./api-server.ts";
import { ask, type Asked, type Told, watch } from "../testing/ask.ts";
import { standardOptions } from "./standard-options.ts";

const maps = "/api/v1/namespaces/default/configmaps";

function map(name: string): JsonRecord {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "1" } };
}

/** Returns a server whose files a test can make fail. */
async function newServer(files: MemoryFiles): Promise<{
  readonly server: ApiServer;
  readonly opened: OpenedStore<JsonRecord>;
  readonly clock: FakeClock;
  readonly send: (asked: Asked) => Promise<Told>;
}> {
  const clock = new FakeClock();
  const random = new SeededRandom(1);
  const opened = await openStore<JsonRecord>({ files, clock, random, decode: decodeStored, findShared });
  const server = new ApiServer(standardOptions({ clock, random, store: opened.store }));
  return { server, opened, clock, send: (asked) => ask(server, asked) };
}

function failWith(files: MemoryFiles, code: string): void {
  files.before = () => {
    throw dataErrorFrom("Writing log", Object.assign(new Error(`${code}: refused`), { code, syscall: "write" }));
  };
}

describe("a server whose disk rejects writes", () => {
  it("serves reads and watches, is live but not ready, and accepts writes again when there is space", async () => {
    const files = new MemoryFiles();
    const { server, opened, clock, send } = await newServer(files);
    await send({ method: "POST", path: maps, body: map("before") });
    const stop = new AbortController();
    const events = watch(server, { path: `${maps}?watch=true&resourceVersion=0` }, stop.signal);
    const names = async (): Promise<string> => textAt((await events.next()).value ?? {}, "object", "metadata", "name");
    const first = await names();

    failWith(files, "ENOSPC");
    const lost = send({ method: "POST", path: maps, body: map("lost") });
    // Both read before the failure is known, and respond after it.
    const reads = [send({ path: `${maps}/before` }), send({ path: `${maps}/lost` }), send({ path: maps })] as const;
    const refused = [await lost, await send({ method: "DELETE", path: `${maps}/before` })];
    const [one, none, list] = await Promise.all(reads);
    const live = await send({ path: "/livez" });
    const ready = await send({ path: "/readyz" });
    const reason = await send({ path: "/readyz/etcd-readiness" });

    files.before = () => undefined;
    await clock.advance(1_000);
    const after = await send({ method: "POST", path: maps, body: map("after") });
    const readyAgain = await send({ path: "/readyz" });

    assert.equal(first, "before");
    for (const { status, body } of refused) {
      assert.equal(status, 500);
      assert.equal(body["reason"], undefined);
      assert.match(
        String(body["message"]),
        /^etcdserver: mvcc: database space exceeded: .*no space left\. Free disk space .* resume without a restart/,
      );
    }
    assert.deepEqual([one.status, none.status, list.status], [200, 404, 200]);
    assert.equal(list.text.includes('"lost"'), false);
    assert.deepEqual([live.status, live.text], [200, "ok"]);
    assert.equal(ready.status, 500);
    assert.match(ready.text, /^\[-\]etcd-readiness failed: reason withheld$/m);
    assert.match(reason.text, /^internal server error: Writing log: no space left/);
    assert.equal(after.status, 201);
    assert.equal(readyAgain.status, 200);
    assert.equal(await names(), "after");
    stop.abort();
    await server.stop();
    await opened[Symbol.asyncDispose]();
  });

  it("reports other causes too", async () => {
    for (const [code, message] of [
      ["EROFS", /^Writes are refused: Writing log: the file system is read-only\./],
      ["EIO", /^Writes are refused: Writing log: EIO: refused\. Check the disk/],
      ["EDQUOT", /^etcdserver: mvcc: database space exceeded: /],
    ] as const) {
      const files = new MemoryFiles();
      const { server, opened, send } = await newServer(files);
      await server.ready();

      failWith(files, code);
      const { status, body } = await send({ method: "POST", path: maps, body: map("a") });

      assert.equal(status, 500);
      assert.match(String(body["message"]), message);
      await server.stop();
      await opened[Symbol.asyncDispose]();
    }
  });

  it("does not start when its bootstrap objects cannot be saved, and starts normally later", async () => {
    const files = new MemoryFiles();
    const { server, opened } = await newServer(files);
    files.bytesLeft = 1_000;

    await assert.rejects(server.ready(), { code: "DATA_DISK_FULL", message: /no space left\. Free disk space/ });
    await server.stop();
    await opened[Symbol.asyncDispose]();
    files.bytesLeft = Infinity;
    const again = await newServer(files);

    assert.equal((await again.send({ path: "/api/v1/namespaces/default" })).status, 200);
    await again.server.stop();
    await again.opened[Symbol.asyncDispose]();
  });

  it("repeats its own writes that failed while the disk was full", async () => {
    const files = new MemoryFiles();
    const { server, opened, clock, send } = await newServer(files);
    const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "q" }, spec: { hard: { pods: "1" } } };
    const path = "/api/v1/namespaces/default/resourcequotas";
    await server.ready();
    let saved = 0;
    files.before = (operation) => {
      // The quota is saved; its status update, which follows, is not.
      if (operation === "append") saved += 1;
      if (saved > 1)
        throw dataErrorFrom("Writing log", Object.assign(new Error("full"), { code: "ENOSPC", syscall: "w" }));
    };
    await send({ method: "POST", path, body: quota });
    await nextTurn();
    const without = await send({ path: `${path}/q` });

    files.before = () => undefined;
    await clock.advance(1_000);
    const complete = await send({ path: `${path}/q` });

    assert.equal(textAt(without.body, "status", "hard", "pods"), "");
    assert.equal(textAt(complete.body, "status", "hard", "pods"), "1");
    await server.stop();
    await opened[Symbol.asyncDispose]();
  });

  it("creates the IPAddress of a Service after the disk was full", async () => {
    const files = new MemoryFiles();
    const { server, opened, clock, send } = await newServer(files);
    await server.ready();
    let saved = 0;
    files.before = (operation) => {
      // The Service is saved; its IPAddress, which follows, is not.
      if (operation === "append") saved += 1;
      if (saved > 1)
        throw dataErrorFrom("Writing log", Object.assign(new Error("full"), { code: "ENOSPC", syscall: "w" }));
    };
    const body = { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } };
    const created = await send({ method: "POST", path: "/api/v1/namespaces/default/services", body });
    await nextTurn();
    const path = `/apis/networking.k8s.io/v1/ipaddresses/${textAt(created.body, "spec", "clusterIP")}`;
    const without = await send({ path });

    files.before = () => undefined;
    await clock.advance(1_000);
    const complete = await send({ path });

    assert.equal(without.status, 404);
    assert.equal(textAt(complete.body, "spec", "parentRef", "name"), "web");
    await server.stop();
    await opened[Symbol.asyncDispose]();
  });

  it("deletes events that expired while the disk was full", async () => {
    const files = new MemoryFiles();
    const { server, opened, clock, send } = await newServer(files);
    const path = "/api/v1/namespaces/default/events";
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "e" },
      involvedObject: { kind: "Pod", namespace: "default", name: "p" },
    };
    await send({ method: "POST", path, body: event });

    failWith(files, "ENOSPC");
    await send({ method: "POST", path: maps, body: map("lost") });
    await clock.advance(3_700_000);
    const kept = await send({ path: `${path}/e` });
    files.before = () => undefined;
    await clock.advance(3_700_000);
    const expired = await send({ path: `${path}/e` });

    assert.deepEqual([kept.status, expired.status], [200, 404]);
    await server.stop();
    await opened[Symbol.asyncDispose]();
  });
});
