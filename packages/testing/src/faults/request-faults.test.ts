import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Client, createClient, type Transport } from "@homeostat/client";
import { startCluster } from "@homeostat/cluster";
import { FakeClock, InternalServerError, NetworkError } from "@homeostat/core";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { KindTable } from "../memory/kind-table.ts";
import { MemoryApi } from "../memory/memory-api.ts";
import { RequestFaults } from "./request-faults.ts";

const metadata = { namespace: "default", name: "a" };
const config = { apiVersion: "v1", kind: "ConfigMap", metadata } as const;
const memory = (): Transport =>
  new MemoryApi({ kinds: new KindTable([ConfigMap]), clock: new FakeClock(), objects: [] });

const clientWith = (transport: Transport): { readonly client: Client; readonly faults: RequestFaults } => {
  const faults = new RequestFaults();
  return { faults, client: createClient(transport, { layers: [faults.layer], retries: false }) };
};

describe("request faults", () => {
  it("cut a request before or after it is carried out", async () => {
    const { client, faults } = clientWith(memory());
    const isCreate = ({ verb }: { verb: string }): boolean => verb === "create";

    const before = faults.add({ match: isCreate, when: "before", action: { do: "cut" } });
    await assert.rejects(client.create(ConfigMap, config), NetworkError);
    assert.equal(await client.get(ConfigMap, metadata), undefined);
    faults.add({ match: isCreate, when: "after", action: { do: "cut" } });
    await assert.rejects(client.create(ConfigMap, config), NetworkError);

    assert.equal((await client.get(ConfigMap, metadata))?.metadata.name, "a");
    assert.equal(before.happened, 1);
  });

  it("affect the n-th matching request, as often as asked for, until they are removed", async () => {
    const { client, faults } = clientWith(memory());
    const seen: string[] = [];
    const fault = faults.add({
      match: ({ verb, resource, key }) => seen.push(`${verb} ${resource} ${key}`) > 0,
      nth: 2,
      times: 2,
      when: "before",
      action: { do: "fail", status: 500, reason: "InternalError" },
    });

    await client.get(ConfigMap, metadata);
    await assert.rejects(client.get(ConfigMap, metadata), InternalServerError);
    await assert.rejects(client.list(ConfigMap, { namespace: "default" }), InternalServerError);
    await client.list(ConfigMap);
    fault[Symbol.dispose]();
    await client.list(ConfigMap);

    assert.equal(fault.happened, 2);
    assert.deepEqual(seen, [
      "get configmaps default/a",
      "get configmaps default/a",
      "list configmaps ",
      "list configmaps ",
    ]);
  });

  it("delay responses on a clock, without repeating the request", async () => {
    const clock = new FakeClock();
    const faults = new RequestFaults({ clock });
    const api = new MemoryApi({ kinds: new KindTable([ConfigMap]), clock, objects: [] });
    const client = createClient(api, { layers: [faults.layer], clock });
    faults.add({ when: "after", action: { do: "delay", ms: 60_000 } });

    const created = client.create(ConfigMap, config);
    await clock.advance(60_000);

    assert.equal((await created).metadata.name, "a");
    assert.equal(api.writes.length, 1);
  });

  it("let a request hang until its signal aborts", async () => {
    const { client, faults } = clientWith(memory());
    faults.add({ when: "before", action: { do: "hang" } });
    const stopping = new AbortController();

    const hanging = client.get(ConfigMap, metadata, { signal: stopping.signal });
    stopping.abort(new Error("enough"));

    await assert.rejects(hanging, /enough/);
  });

  it("work over the sockets of a cluster", async () => {
    await using cluster = await startCluster({ parts: "api" });
    const faults = new RequestFaults();
    using client = createClient(cluster.connection(), { layers: [faults.layer], retries: false });
    faults.add({ match: ({ verb }) => verb === "create", when: "after", action: { do: "cut" } });

    await assert.rejects(client.create(ConfigMap, config), NetworkError);

    assert.ok(await client.get(ConfigMap, metadata));
  });
});
