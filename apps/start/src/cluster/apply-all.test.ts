import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient } from "@homeostat/client";
import { startCluster } from "@homeostat/cluster";
import { systemClock } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { Tenant } from "@homeostat/tenant-operator";
import { applyAll, waitUntilServed } from "./apply-all.ts";

describe("waitUntilServed", () => {
  it("waits until the kind is served, although its CRD is established", async () => {
    await using cluster = await startCluster({ parts: "api" });
    using client = createClient(cluster.transport());
    const status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "404 page not found",
      reason: "NotFound",
      code: 404,
    } as const;
    const missing = cluster.server.faults.add({
      match: ({ info }) => info.verb === "list" && info.resource === Tenant.plural,
      when: "before",
      action: { do: "fail", status },
    });
    const crd = Tenant.crd();
    await client.create(CustomResourceDefinition, crd);

    const { signal } = new AbortController();
    await waitUntilServed(client, crd.metadata.name ?? "", { clock: systemClock, signal });

    assert.equal(missing.happened, 1, "the kind was requested before it was served");
    assert.deepEqual((await client.list(Tenant)).items, []);
  });
});

describe("applyAll", () => {
  it("repeats a write that a busy webhook denied", async () => {
    await using cluster = await startCluster({ parts: "api" });
    using client = createClient(cluster.transport());
    const status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "admission webhook denied the request: retry the request",
      reason: "ServiceUnavailable",
      code: 503,
    } as const;
    const busy = cluster.server.faults.add({
      match: ({ info }) => info.verb === "patch" && info.resource === ConfigMap.plural,
      when: "before",
      action: { do: "fail", status },
    });
    const metadata = { name: "settings", namespace: "default" };

    const { signal } = new AbortController();
    await applyAll(client, [{ apiVersion: "v1", kind: "ConfigMap", metadata }], { clock: systemClock, signal });

    assert.equal(busy.happened, 1);
    assert.ok((await client.get(ConfigMap, metadata)) !== undefined);
  });
});
