import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, type JsonRecord, SeededRandom } from "@homeostat/core";
import { ApiServer } from "../server/api-server.ts";
import { ask } from "../server/ask.fixture.test.ts";
import { standardOptions } from "../server/standard-options.ts";
import { listAt, textAt, valueAt } from "../values/fields.ts";

const services = "/api/v1/namespaces/default/services";
const addresses = "/apis/networking.k8s.io/v1/ipaddresses";
const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

function service(name: string): JsonRecord {
  return { apiVersion: "v1", kind: "Service", metadata: { name }, spec: { ports: [{ port: 80 }] } };
}

async function recorded(server: ApiServer): Promise<string[]> {
  const { body } = await ask(server, { path: addresses });
  return listAt(body, "items").map((item) => textAt(item, "spec", "parentRef", "name"));
}

describe("records that the server keeps", () => {
  it("name the Service of each address, as long as the Service has it", async () => {
    await using server = new ApiServer(
      standardOptions({ clock: new FakeClock({ now: 0 }), random: new SeededRandom(1) }),
    );

    for (const name of ["a", "b"]) await ask(server, { method: "POST", path: services, body: service(name) });
    const after = await recorded(server);
    await ask(server, { method: "DELETE", path: `${services}/a` });
    await ask(server, {
      method: "PATCH",
      path: `${services}/b`,
      headers: { "content-type": "application/merge-patch+json" },
      body: { spec: { type: "ExternalName", externalName: "example.com" } },
    });

    assert.deepEqual(after.toSorted(), ["a", "b", "kubernetes"]);
    assert.deepEqual(await recorded(server), ["kubernetes"]);
  });

  it("are completed for a state that was stored without them", async () => {
    await using first = new ApiServer(
      standardOptions({ clock: new FakeClock({ now: 0 }), random: new SeededRandom(1) }),
    );
    await ask(first, { method: "POST", path: services, body: service("a") });
    for (const address of listAt((await ask(first, { path: addresses })).body, "items")) {
      await ask(first, { method: "DELETE", path: `${addresses}/${textAt(address, "metadata", "name")}` });
    }
    await using second = new ApiServer(standardOptions({ from: first.snapshot(), random: new SeededRandom(2) }));

    assert.deepEqual((await recorded(second)).toSorted(), ["a", "kubernetes"]);
  });

  it("include a Lease of the server, which writes renew", async () => {
    const clock = new FakeClock({ now: Date.parse("2026-01-02T03:04:05Z") });
    await using server = new ApiServer(standardOptions({ clock, random: new SeededRandom(1) }));

    const [before] = listAt((await ask(server, { path: leases })).body, "items");
    await clock.advance(3_000_000);
    await ask(server, { method: "POST", path: services, body: service("a") });
    const [after] = listAt((await ask(server, { path: leases })).body, "items");

    assert.match(textAt(before, "metadata", "name"), /^apiserver-[a-z2-7]{26}$/);
    assert.equal(valueAt(before, "spec", "leaseDurationSeconds"), 3600);
    assert.equal(textAt(before, "spec", "renewTime"), "2026-01-02T03:04:05.000000Z");
    assert.equal(textAt(after, "spec", "renewTime"), "2026-01-02T03:54:05.000000Z");
  });
});
