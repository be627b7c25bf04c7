import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tenant, verdict } from "../testing/validated-tenant.ts";

describe("admission denies", () => {
  it("shrinking the storage of Redis", () => {
    const { refused } = verdict(tenant({ "redis.storage": "1Gi" }), tenant({ "redis.storage": "2Gi" }));

    assert.equal(refused, 'spec.redis.storage: Invalid value: "1Gi": redis storage cannot shrink');
  });

  it("shrinking the storage beside other problems", () => {
    const now = tenant({ "redis.storage": "1Gi", "server.replicas": 0 });

    assert.deepEqual(verdict(now, tenant({ "redis.storage": "2Gi" })).paths, [
      "spec.server.replicas",
      "spec.redis.storage",
    ]);
  });

  for (const [path, value] of [
    ["redis.storageClassName", "fast"],
    ["redis.persistence.enabled", false],
  ] as const) {
    it(`setting, changing or removing ${path}`, () => {
      const other = typeof value === "string" ? "slow" : true;

      assert.match(verdict(tenant({ [path]: value }), tenant()).refused, /: field is immutable$/);
      assert.match(verdict(tenant({ [path]: value }), tenant({ [path]: other })).refused, /: field is immutable$/);
      assert.match(verdict(tenant(), tenant({ [path]: value })).refused, /: field is immutable$/);
      assert.equal(verdict(tenant({ [path]: value }), tenant({ [path]: value })).refused, "");
    });
  }

  it("pods that exceed the quota, with the numbers", () => {
    const now = tenant({
      resources: { cpu: { limit: "700m" }, memory: { limit: "1Gi" }, storage: { limit: "512Mi" } },
    });

    const { refused } = verdict(now);

    assert.equal(
      refused,
      '[spec.resources: Invalid value: "700m": server and Redis need 1300m of limits.cpu, but the quota allows only 700m, ' +
        'spec.resources: Invalid value: "1Gi": server and Redis need 1280Mi of limits.memory, but the quota allows only 1Gi, ' +
        'spec.resources: Invalid value: "512Mi": Redis needs 1Gi of requests.storage, but the quota allows only 512Mi]',
    );
  });

  it("more pods than the quota allows", () => {
    const now = tenant({ "resources.cpu.limit": "99", "quota.counts": { pods: 2 } });

    assert.match(verdict(now).refused, /server and Redis need 3 of pods, but the quota allows only 2/);
  });

  it("only the pods that exist at the same time", () => {
    const resources = { cpu: { limit: "800m" } };

    assert.match(verdict(tenant({ resources })).refused, /need 1300m/);
    assert.equal(verdict(tenant({ resources, "upgradeStrategy.type": "Recreate" })).refused, "");
    assert.equal(verdict(tenant({ resources, "upgradeStrategy.maxSurge": 0 })).refused, "");
    assert.match(
      verdict(tenant({ resources, "upgradeStrategy.maxSurge": 0, "redis.exporter.enabled": true })).refused,
      /need 900m/,
    );
  });

  it("a server that Pod Security would reject", () => {
    const weak = { runAsNonRoot: false, allowPrivilegeEscalation: true, capabilities: { drop: ["NET_RAW"] } };
    const now = tenant({ "server.securityContext": weak });

    assert.deepEqual(verdict(now).paths, [
      "spec.server.securityContext.runAsNonRoot",
      "spec.server.securityContext.allowPrivilegeEscalation",
      "spec.server.securityContext.capabilities.drop",
    ]);
    assert.equal(verdict(tenant({ "server.securityContext": weak, "podSecurity.enforce": "baseline" })).refused, "");
  });
});

describe("admission allows", () => {
  it("an unchanged existing problem, with a warning", () => {
    const old = tenant({ "redis.config": { port: "1" }, displayName: "A" });
    const now = tenant({ "redis.config": { port: "1" }, displayName: "B" });

    const { refused, warnings } = verdict(now, old);

    assert.equal(refused, "");
    assert.deepEqual(warnings, [
      'spec.redis.config[port]: Invalid value: "port": port is managed by the operator (already present before this update)',
    ]);
  });

  it("no changed existing problem", () => {
    const old = tenant({ "redis.config": { maxmemory: "1Gi" } });

    assert.match(verdict(tenant({ "redis.config": { maxmemory: "2Gi" } }), old).refused, /use Redis units/);
  });

  it("pods that exceeded the quota before", () => {
    const resources = { cpu: { limit: "700m" } };

    assert.equal(verdict(tenant({ resources, displayName: "B" }), tenant({ resources })).refused, "");
    assert.match(verdict(tenant({ resources, "server.replicas": 2 }), tenant({ resources })).refused, /need/);
  });

  it("other changes to a tenant that was below the minimum Pod Security level before, with a warning", () => {
    const old = tenant({ "podSecurity.enforce": "privileged" });
    const { refused, warnings } = verdict(tenant({ "podSecurity.enforce": "privileged", displayName: "B" }), old);

    assert.equal(refused, "");
    assert.match(
      warnings.join("\n"),
      /^spec\.podSecurity\.enforce: .* is weaker than baseline.* \(already present before this update\)$/m,
    );
    assert.match(verdict(old, tenant()).refused, /^spec\.podSecurity\.enforce: .* weaker than baseline/);
  });

  it("every update of a tenant under deletion, so that its finalizer can be removed", () => {
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    const bad = { "server.replicas": 0, "redis.storage": "1Mi" };

    assert.equal(verdict(tenant(bad, { deletionTimestamp }), tenant({}, { deletionTimestamp })).refused, "");
  });

  it("growing the storage, and another notation of the same size", () => {
    assert.equal(verdict(tenant({ "redis.storage": "2Gi" }), tenant({ "redis.storage": "1Gi" })).refused, "");
    assert.equal(verdict(tenant({ "redis.storage": "1024Mi" }), tenant({ "redis.storage": "1Gi" })).refused, "");
  });
});

const tagged = { "server.image": "neurallog/server:1.4.2" };

/** Tenants with warnings: title, fields and path of the warning. */
const warned: readonly (readonly [title: string, fields: Readonly<Record<string, unknown>>, path: string])[] = [
  ["the tag latest", {}, "spec.server.image"],
  ["no tag", { "server.image": "neurallog/server" }, "spec.server.image"],
  ["the tag latest of Redis", { ...tagged, "redis.image": "redis:latest" }, "spec.redis.image"],
  ["no password", { ...tagged, "redis.security.enabled": false }, "spec.redis.security.enabled"],
  [
    "an eviction policy with persistence",
    { ...tagged, "redis.advanced.maxmemoryPolicy": "allkeys-lru" },
    "spec.redis.advanced.maxmemoryPolicy",
  ],
  [
    "an eviction directive with persistence",
    { ...tagged, "redis.config": { "maxmemory-policy": "allkeys-lru" } },
    "spec.redis.config[maxmemory-policy]",
  ],
  ["an open network", { ...tagged, "networkPolicy.enabled": false }, "spec.networkPolicy.enabled"],
  ["a version without effect", { ...tagged, version: "1.5.0" }, "spec.version"],
];

describe("admission warns about", () => {
  for (const [title, fields, path] of warned) {
    it(title, () => {
      const { refused, warnings } = verdict(tenant(fields));

      assert.equal(refused, "");
      assert.deepEqual(
        warnings.map((warning) => warning.split(": ")[0]),
        [path],
      );
    });
  }

  it("nothing without a reason", () => {
    const digest = `neurallog/server@sha256:${"a".repeat(64)}`;
    const quiet = [
      tagged,
      { version: "1.4.2" },
      { "server.image": digest },
      { ...tagged, version: "1.4.2" },
      { ...tagged, "redis.advanced.maxmemoryPolicy": "noeviction" },
      { ...tagged, "redis.advanced.maxmemoryPolicy": "allkeys-lru", "redis.persistence.enabled": false },
    ];

    assert.deepEqual(
      quiet.flatMap((fields) => verdict(tenant(fields)).warnings),
      [],
    );
  });
});
