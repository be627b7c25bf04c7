import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, type JsonRecord, SeededRandom } from "@homeostat/core";
import { decodeStored } from "../../registry/stored-object.ts";
import { ApiServer } from "../../server/api-server.ts";
import { ask, type Asked, type Told } from "../../testing/ask.ts";
import { standardOptions } from "../../server/standard-options.ts";
import { Store } from "../../storage/store.ts";
import { textAt } from "../../values/fields.ts";
import { ResourceQuotas } from "./quotas.ts";

const namespaces = ["a", "b"];
const merge = { "content-type": "application/merge-patch+json" };

function quota(name: string, hard: JsonRecord, rest: JsonRecord = {}): JsonRecord {
  return { apiVersion: "v1", kind: "ResourceQuota", metadata: { name }, spec: { hard, ...rest } };
}

function pod(name: string, cpu: string): JsonRecord {
  const resources = cpu === "" ? {} : { requests: { cpu }, limits: { cpu } };
  const spec = { serviceAccountName: "default", containers: [{ name: "c", image: "i", resources }] };
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec };
}

function map(name: string): JsonRecord {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
}

function newServer(decode = decodeStored): {
  readonly server: ApiServer;
  readonly clock: FakeClock;
  readonly send: (asked: Asked) => Promise<Told>;
} {
  const clock = new FakeClock();
  const store = new Store<JsonRecord>({ clock, decode, memoCountMax: 8 });
  const options = { clock, random: new SeededRandom(1), store, disabledSteps: ["ServiceAccount"] };
  const server = new ApiServer(standardOptions(options));
  return { server, clock, send: (asked) => ask(server, asked) };
}

describe("UsageIndex", () => {
  it("equals the sum over all objects after random requests", async () => {
    const { server, clock, send } = newServer();
    const random = new SeededRandom("quota");
    const naive = new ResourceQuotas({ reader: server.registry, clock });
    const statuses = new Map<string, number>();
    const count = (step: string, { status }: Told): void => {
      statuses.set(`${step} ${status}`, (statuses.get(`${step} ${status}`) ?? 0) + 1);
    };
    for (const name of namespaces) {
      await send({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
      const path = `/api/v1/namespaces/${name}/resourcequotas`;
      const hard = { "count/configmaps": "6", pods: "8", "requests.cpu": "3" };
      await send({ method: "POST", path, body: quota("all", hard) });
      await send({ method: "POST", path, body: quota("plain", { pods: "4" }, { scopes: ["BestEffort"] }) });
    }

    for (let step = 0; step < 250; step += 1) {
      const namespace = namespaces[random.int(2)] ?? "a";
      const base = `/api/v1/namespaces/${namespace}`;
      const name = `o${random.int(12)}`;
      const kind = random.int(12);
      const dryRun = random.int(8) === 0 ? "?dryRun=All" : "";
      if (kind < 2) count("map", await send({ method: "POST", path: `${base}/configmaps${dryRun}`, body: map(name) }));
      else if (kind < 3) count("unmap", await send({ method: "DELETE", path: `${base}/configmaps/${name}` }));
      else if (kind < 7) {
        const cpu = random.int(3) === 0 ? "" : `${100 * (1 + random.int(9))}m`;
        count("pod", await send({ method: "POST", path: `${base}/pods${dryRun}`, body: pod(name, cpu) }));
      } else if (kind < 8) {
        const body = { spec: { nodeName: "n" }, status: { phase: "Succeeded" } };
        count("end", await send({ method: "PATCH", path: `${base}/pods/${name}/status`, headers: merge, body }));
      } else if (kind < 11) {
        count(
          "delete",
          await send({ method: "DELETE", path: `${base}/pods/${name}?gracePeriodSeconds=${random.int(2)}` }),
        );
      } else {
        const body = { spec: { hard: { pods: String(6 + random.int(4)), "requests.cpu": "3" } } };
        count("quota", await send({ method: "PATCH", path: `${base}/resourcequotas/all`, headers: merge, body }));
      }
      if (random.int(10) === 0) await clock.advance(2_000);
      for (const each of namespaces) assert.deepEqual(naive.outdated(each), [], `step ${step}`);
    }
    await server.stop();

    for (const word of ["map 201", "map 403", "unmap 200", "pod 201", "pod 403", "end 200", "delete 200", "quota 200"])
      assert.ok((statuses.get(word) ?? 0) > 0, `none of ${word}: ${JSON.stringify([...statuses])}`);
  });

  it("reads as few objects per write with 200 objects in a namespace as with 10", async () => {
    let decoded = 0;
    const { server, send } = newServer((bytes) => {
      decoded += 1;
      return decodeStored(bytes);
    });
    const base = "/api/v1/namespaces/default";
    await send({ method: "POST", path: `${base}/resourcequotas`, body: quota("q", { "count/configmaps": "1000" }) });
    const create = async (n: number): Promise<number> => {
      const before = decoded;
      const { status } = await send({ method: "POST", path: `${base}/configmaps`, body: map(`m${n}`) });
      assert.equal(status, 201);
      return decoded - before;
    };

    for (let n = 0; n < 10; n += 1) await create(n);
    const few = await create(10);
    for (let n = 11; n < 200; n += 1) await create(n);
    const many = await create(200);
    const { body } = await send({ path: `${base}/resourcequotas/q` });
    await server.stop();

    assert.equal(many, few);
    assert.equal(textAt(body, "status", "used", "count/configmaps"), "201");
  });
});
