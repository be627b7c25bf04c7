import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { InvalidError } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { assertGolden } from "@homeostat/operator-testing";
import { toYaml } from "@homeostat/schema";
import { Tenant, type TenantInput } from "./tenant.ts";

const make = (name: string, spec: TenantInput["spec"] = {}): TenantInput => Tenant.make({ metadata: { name }, spec });

describe("the definition of Tenant", () => {
  it("is the golden CRD", () => {
    assertGolden(new URL("../../golden/", import.meta.url), "crd", toYaml(Tenant.crd()));
  });

  it("has no field without an implementation", () => {
    const text = JSON.stringify(Tenant.crd());

    for (const field of [
      "backup",
      "restore",
      "tls",
      "reload",
      "registry",
      "integrations",
      "autoscaling",
      "schedule",
      "serviceMonitor",
    ]) {
      assert.ok(!text.includes(`"${field}"`), field);
    }
  });
});

describe("the schema of Tenant on the embedded API server", () => {
  let cluster: Cluster;
  let client: Client;

  before(async () => {
    cluster = await startCluster({ parts: "api" });
    client = createClient(cluster.connection());
    await client.create(CustomResourceDefinition, structuredClone(Tenant.crd()));
  });
  after(async () => {
    client[Symbol.dispose]();
    await cluster.stop();
  });

  const create = async (tenant: TenantInput): Promise<Tenant> =>
    client.create(Tenant, Tenant.default(tenant), { dryRun: true, fieldValidation: "Strict" });

  it("persists its defaults", async () => {
    const { spec } = await client.create(Tenant, make("acme"), { dryRun: true });

    assert.deepEqual(spec, {
      server: { replicas: 1 },
      redis: { replicas: 1, storage: "1Gi" },
      networkPolicy: { enabled: true },
    });
  });

  for (const name of ["a".repeat(47), "9acme", "a.b"]) {
    it(`rejects the name ${name} with a message`, async () => {
      await assert.rejects(create(make(name)), (error) => {
        assert.ok(error instanceof InvalidError);
        assert.match(
          error.message,
          /metadata\.name: .*must be at most 46 lower-case letters, digits and dashes, start with a letter and end with a letter or digit/,
        );
        return true;
      });
    });
  }

  it("rejects zero replicas with a message", async () => {
    await assert.rejects(create(make("acme", { server: { replicas: 0 } })), /server replicas must be at least 1/);
  });

  it("rejects values that are too large, too long, or not in the enum", async () => {
    const bad: readonly TenantInput["spec"][] = [
      { displayName: "x".repeat(64) },
      { redis: { replicas: 6 } },
      { redis: { config: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, "v"])) } },
      { networkPolicy: { allowedNamespaces: Array.from({ length: 51 }, (_, index) => `n${index}`) } },
      { server: { env: Array.from({ length: 101 }, (_, index) => ({ name: `A${index}`, value: "" })) } },
      { server: { terminationGracePeriodSeconds: 601 } },
    ];

    for (const spec of bad) await assert.rejects(create(make("acme", spec)), InvalidError, JSON.stringify(spec));
  });

  it("rejects changes of immutable fields without a webhook", async () => {
    const stored = await client.create(Tenant, Tenant.default(make("fixed", { redis: { storageClassName: "a" } })));
    const changed = (redis: Partial<Tenant["spec"]["redis"]>): Promise<Tenant> =>
      client.update(Tenant, { ...stored, spec: { ...stored.spec, redis: { ...stored.spec.redis, ...redis } } });

    await assert.rejects(changed({ storageClassName: "b" }), /spec\.redis\.storageClassName: .*field is immutable/);
    await assert.rejects(changed({ persistence: { enabled: false } }), /persistence\.enabled: .*field is immutable/);
    assert.equal((await changed({ persistence: { type: "rdb" } })).spec.redis.persistence?.type, "rdb");
  });

  it("prunes unknown fields", async () => {
    const { spec } = await client.create(
      Tenant,
      { ...make("acme"), spec: { backup: { enabled: true }, redis: { restore: {} } } } as unknown as Tenant,
      { dryRun: true },
    );

    assert.deepEqual(Object.keys(spec).toSorted(), ["networkPolicy", "redis", "server"]);
    assert.deepEqual(Object.keys(spec.redis).toSorted(), ["replicas", "storage"]);
  });
});
