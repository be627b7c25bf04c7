import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, type JsonRecord, SeededRandom } from "@homeostat/core";
import { ApiServer } from "../server/api-server.ts";
import { ask } from "../testing/ask.ts";
import { standardOptions } from "../server/standard-options.ts";
import { listAt, textAt, valueAt } from "../values/fields.ts";

const services = "/api/v1/namespaces/default/services";
const addresses = "/apis/networking.k8s.io/v1/ipaddresses";
const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

function service(name: string): JsonRecord {
  return { apiVersion: "v1", kind: "Service", metadata: { name }, spec: { ports: [{ port: 80 }] } };
}

async function recordedAddresses(server: ApiServer): Promise<string[]> {
  const { body } = await ask(server, { path: addresses });
  return listAt(body, "items").map((item) => textAt(item, "spec", "parentRef", "name"));
}

describe("objects that the server writes itself", () => {
  it("include an IPAddress for each cluster IP, as long as its Service exists", async () => {
    await using server = new ApiServer(
      standardOptions({ clock: new FakeClock({ now: 0 }), random: new SeededRandom(1) }),
    );

    for (const name of ["a", "b"]) await ask(server, { method: "POST", path: services, body: service(name) });
    const after = await recordedAddresses(server);
    await ask(server, { method: "DELETE", path: `${services}/a` });
    await ask(server, {
      method: "PATCH",
      path: `${services}/b`,
      headers: { "content-type": "application/merge-patch+json" },
      body: { spec: { type: "ExternalName", externalName: "example.com" } },
    });

    assert.deepEqual(after.toSorted(), ["a", "b", "kubernetes"]);
    assert.deepEqual(await recordedAddresses(server), ["kubernetes"]);
  });

  it("include IPAddresses of Services that were stored before the server started", async () => {
    await using first = new ApiServer(
      standardOptions({ clock: new FakeClock({ now: 0 }), random: new SeededRandom(1) }),
    );
    await ask(first, { method: "POST", path: services, body: service("a") });
    for (const address of listAt((await ask(first, { path: addresses })).body, "items")) {
      await ask(first, { method: "DELETE", path: `${addresses}/${textAt(address, "metadata", "name")}` });
    }
    await using second = new ApiServer(standardOptions({ from: first.snapshot(), random: new SeededRandom(2) }));

    assert.deepEqual((await recordedAddresses(second)).toSorted(), ["a", "kubernetes"]);
  });

  it("include the identity Lease, which is renewed along with other writes", async () => {
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
