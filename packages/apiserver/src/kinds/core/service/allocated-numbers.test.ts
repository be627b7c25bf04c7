import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, type JsonRecord, SeededRandom } from "@homeostat/core";
import { decodeStored, findShared, encodeAtRevision } from "../../../registry/stored-object.ts";
import { ApiServer } from "../../../server/api-server.ts";
import { ask, type Asked, type Told } from "../../../testing/ask.ts";
import { standardOptions } from "../../../server/standard-options.ts";
import { MemoryFiles } from "../../../testing/memory-files.ts";
import { openStore } from "../../../storage/open-store.ts";
import { Store } from "../../../storage/store.ts";
import { listAt, textAt } from "../../../values/fields.ts";
import { AllocatedNumbers, numbersOf, type ServiceNumbers } from "./allocated-numbers.ts";

const prefix = "core/services/";
const noService = { namespace: "none", name: "none" };

function service(name: string, spec: JsonRecord = {}): JsonRecord {
  return { apiVersion: "v1", kind: "Service", metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
}

/** Reads the numbers of all stored Services one by one, as the expected content of the index. */
function scan(store: Store<JsonRecord>): ServiceNumbers {
  const all = store
    .view()
    .entries({ prefix })
    .map((entry) => numbersOf(store.read(entry)));
  return {
    addresses: new Set(all.flatMap(({ addresses }) => [...addresses])),
    ports: new Set(all.flatMap(({ ports }) => [...ports])),
  };
}

describe("AllocatedNumbers", () => {
  it("agrees with a scan of all Services after any requests", async () => {
    const random = new SeededRandom("services");
    const clock = new FakeClock();
    const files = new MemoryFiles();
    const opened = await openStore<JsonRecord>({ files, clock, random, decode: decodeStored, findShared });
    const { store } = opened;
    const range = "10.96.0.0/26";
    const server = new ApiServer(standardOptions({ clock, random, store, serviceNetwork: range }));
    const send = (asked: Asked): Promise<Told> => ask(server, asked);
    await server.ready();
    const index = new AllocatedNumbers(store);
    const statuses = new Map<string, number>();
    const count = (step: string, { status }: Told): void => {
      const word = `${step} ${status}`;
      statuses.set(word, (statuses.get(word) ?? 0) + 1);
    };
    const types = ["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"];
    for (const name of ["a", "b"]) {
      await send({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
    }

    const check = (step: number): void => {
      const expected = scan(store);
      for (let last = 0; last < 64; last += 1) {
        const address = `10.96.0.${last}`;
        assert.equal(index.hasAddress(address, noService), expected.addresses.has(address), `step ${step}: ${address}`);
      }
      for (let port = 30_000; port < 32_768; port += 1) {
        assert.equal(index.hasPort(port, noService), expected.ports.has(port), `step ${step}: ${port}`);
      }
    };
    for (let step = 0; step < 300; step += 1) {
      const namespace = ["a", "b", "default"][random.int(3)] ?? "a";
      const name = `s${random.int(14)}`;
      const path = `/api/v1/namespaces/${namespace}/services`;
      const type = types[random.int(types.length)] ?? "ClusterIP";
      const spec = {
        type,
        ...(type === "ExternalName" ? { externalName: "example.com" } : {}),
        ...(random.int(6) === 0 && type === "ClusterIP" ? { clusterIP: "None" } : {}),
        ...(random.int(4) === 0 && type !== "ExternalName" ? { clusterIP: `10.96.0.${random.int(64)}` } : {}),
        ...(random.int(3) === 0 && type === "NodePort"
          ? { ports: [{ port: 80, nodePort: 30_000 + random.int(40) }] }
          : {}),
        ...(type === "LoadBalancer" && random.int(2) === 0 ? { externalTrafficPolicy: "Local" } : {}),
      };
      const dryRun = random.int(6) === 0 ? "?dryRun=All" : "";
      // The write fails after the numbers were allocated.
      const isLost = random.int(6) === 0;
      if (isLost) files.bytesLeft = 0;
      const kind = random.int(10);
      if (kind < 5) count("create", await send({ method: "POST", path: path + dryRun, body: service(name, spec) }));
      else if (kind < 8) {
        const headers = { "content-type": "application/merge-patch+json" };
        count("update", await send({ method: "PATCH", path: `${path}/${name}${dryRun}`, headers, body: { spec } }));
      } else count("delete", await send({ method: "DELETE", path: `${path}/${name}${dryRun}` }));
      files.bytesLeft = Infinity;
      if (isLost) await clock.advance(1_000);
      check(step);
    }
    await server.stop();
    await opened[Symbol.asyncDispose]();

    for (const step of [
      "create 201",
      "create 409",
      "create 422",
      "create 500",
      "update 200",
      "update 500",
      "delete 200",
    ])
      assert.ok((statuses.get(step) ?? 0) > 0, `none of ${step}: ${JSON.stringify([...statuses])}`);
    await using again = await openStore<JsonRecord>({ files, clock, random, decode: decodeStored, findShared });
    const rebuilt = new AllocatedNumbers(again.store);
    for (const address of scan(store).addresses) assert.ok(rebuilt.hasAddress(address, noService));
    for (const port of scan(store).ports) assert.ok(rebuilt.hasPort(port, noService));
  });

  it("ignores the Service itself, and counts each of several Services with the same number", () => {
    const store = new Store<JsonRecord>({ clock: new FakeClock(), decode: decodeStored });
    const faulty = (name: string): JsonRecord => service(name, { clusterIPs: ["10.96.0.9"] });
    store.create(`${prefix}team/a`, encodeAtRevision(faulty("a")));
    const index = new AllocatedNumbers(store);
    const own = { namespace: "team", name: "a" };

    const alone = index.hasAddress("10.96.0.9", own);
    store.create(`${prefix}team/b`, encodeAtRevision(faulty("b")));
    const both = index.hasAddress("10.96.0.9", own);
    store.delete(`${prefix}team/a`);
    const other = index.hasAddress("10.96.0.9", own);

    assert.deepEqual([alone, both, other], [false, true, true]);
  });
});

describe("the creation of a Service", () => {
  it("reads as many objects with 300 Services as with 10", async () => {
    const clock = new FakeClock();
    let decoded = 0;
    let scanned = 0;
    const decode = (bytes: Uint8Array): JsonRecord => {
      decoded += 1;
      return decodeStored(bytes);
    };
    const store = new Store<JsonRecord>({ clock, decode, memoCountMax: 8 });
    const server = new ApiServer(standardOptions({ clock, random: new SeededRandom(1), store }));
    const { registry } = server;
    const list = registry.list.bind(registry);
    registry.list = (kind) => {
      const found = list(kind);
      scanned += found.length;
      return found;
    };
    await server.ready();
    const create = async (n: number): Promise<readonly [decoded: number, scanned: number]> => {
      const path = "/api/v1/namespaces/default/services";
      const before = [decoded, scanned] as const;
      const { status, body } = await ask(server, {
        method: "POST",
        path,
        body: service(`s${n}`, { type: "NodePort" }),
      });
      assert.equal(status, 201, textAt(body, "message"));
      assert.equal(listAt(body, "spec", "clusterIPs").length, 1);
      return [decoded - before[0], scanned - before[1]];
    };

    for (let n = 0; n < 10; n += 1) await create(n);
    const few = await create(10);
    for (let n = 11; n < 300; n += 1) await create(n);
    const many = await create(300);
    await server.stop();

    assert.deepEqual(many, few);
  });
});
