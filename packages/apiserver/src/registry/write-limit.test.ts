import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, type JsonRecord, SeededRandom } from "@homeostat/core";
import { ApiServer } from "../server/api-server.ts";
import { ask } from "../testing/ask.ts";
import { valueAt } from "../values/fields.ts";

const pods = "/api/v1/namespaces/default/pods";

/** Returns a pod with `count` environment variables of 1000 characters. */
function pod(count: number): JsonRecord {
  const env = Array.from({ length: count }, (_, index) => ({ name: `V${index}`, value: "x".repeat(1000) }));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "big" },
    spec: { containers: [{ name: "main", image: "example.com/app:1", env }] },
  };
}

function newServer(): ApiServer {
  return new ApiServer({ clock: new FakeClock({ now: 0 }), random: new SeededRandom(1) });
}

describe("an object that is too large for etcd", () => {
  it("is rejected on create with the message of etcd, and nothing is stored", async () => {
    await using server = newServer();

    const large = await ask(server, { method: "POST", path: pods, body: pod(1600) });
    const larger = await ask(server, { method: "POST", path: pods, body: pod(2200) });
    const found = await ask(server, { path: `${pods}/big` });

    assert.deepEqual([large.status, large.body["message"]], [500, "etcdserver: request is too large"]);
    assert.match(
      String(larger.body["message"]),
      /^rpc error: code = ResourceExhausted desc = trying to send message larger than max \(\d+ vs\. 2097152\)$/,
    );
    assert.equal(found.status, 404);
  });

  it("has more than 1,572,864 bytes in the request to etcd", async () => {
    await using server = newServer();
    // Key, transaction and the other fields of the pod take 391 bytes.
    const create = async (bytes: number): Promise<number> => {
      const env = [{ name: "A", value: "x".repeat(bytes - 391) }];
      const spec = { containers: [{ name: "m", image: "i:1", env }] };
      const body = { apiVersion: "v1", kind: "Pod", metadata: { name: "big" }, spec };
      const { status } = await ask(server, { method: "POST", path: pods, body });
      await ask(server, { method: "DELETE", path: `${pods}/big?gracePeriodSeconds=0` });
      return status;
    };

    assert.deepEqual([await create(1_572_863), await create(1_572_864), await create(1_572_865)], [201, 201, 500]);
  });

  it("is rejected on update, and the stored object stays", async () => {
    await using server = newServer();
    await ask(server, { method: "POST", path: pods, body: pod(1) });

    const told = await ask(server, {
      method: "PATCH",
      path: `${pods}/big/status`,
      headers: { "content-type": "application/merge-patch+json" },
      body: { status: { message: "x".repeat(1_600_000) } },
    });
    const found = await ask(server, { path: `${pods}/big` });

    assert.deepEqual([told.status, told.body["message"]], [500, "etcdserver: request is too large"]);
    assert.equal(valueAt(found.body, "status", "message"), undefined);
  });

  it("is stored without managedFields when it fits without them", async () => {
    await using server = newServer();
    // The managed fields of the variables take about 60 KB.
    const told = await ask(server, { method: "POST", path: pods, body: pod(1500) });

    assert.equal(told.status, 201);
    assert.equal(valueAt(told.body, "metadata", "managedFields"), undefined);
  });
});
