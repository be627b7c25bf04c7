import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ResourceQuota, ResourceQuotaStatus } from "@homeostat/kubernetes/core/v1";
import { quotaUsage } from "./quota-usage.ts";

function shares(status: ResourceQuotaStatus): Record<string, number> {
  const quota: ResourceQuota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "q" }, status };
  return Object.fromEntries(quotaUsage(quota));
}

describe("quotaUsage", () => {
  it("returns the used share of each resource", () => {
    assert.deepEqual(
      shares({
        hard: { "limits.memory": "2Gi", pods: "10", cpu: "2" },
        used: { "limits.memory": "512Mi", cpu: "500m" },
      }),
      { "limits.memory": 0.25, pods: 0, cpu: 0.25 },
    );
  });

  it("omits resources without a limit and values that are not quantities", () => {
    assert.deepEqual(shares({ hard: { pods: "0", cpu: "lots", memory: "1Gi" }, used: { memory: "some" } }), {});
    assert.deepEqual(shares({ used: { pods: "1" } }), {});
  });

  it("ignores inherited names of used resources", () => {
    assert.deepEqual(shares({ hard: { constructor: "1" }, used: {} }), { constructor: 0 });
  });

  it("returns nothing for a missing quota", () => {
    assert.equal(quotaUsage(undefined).size, 0);
  });
});
