import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Registry } from "@homeostat/runtime";
import type { Phase } from "../api/tenant.ts";
import { TenantMetrics } from "./tenant-metrics.ts";

function bench(): { readonly metrics: TenantMetrics; readonly lines: () => readonly string[] } {
  const metrics = new TenantMetrics();
  const registry = new Registry();
  metrics.register(registry, () => 5_000);
  const lines = (): readonly string[] =>
    registry
      .expose()
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#") && !line.includes("_bucket"));
  return { metrics, lines };
}

const at = (
  previous: Phase | undefined,
  phase: Phase,
  generation = 1,
): Parameters<TenantMetrics["recordPhase"]>[0] => ({
  name: "a",
  uid: "u",
  generation,
  previous,
  phase,
  conditions: [
    { type: "Ready", status: "True", reason: "TenantReady", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
  ],
});

describe("the metrics of tenants", () => {
  it("show tenants by phase, without deleted tenants", () => {
    const { metrics, lines } = bench();
    metrics.recordPhase(at("Pending", "Running"));
    metrics.recordUsage("a", { rotatedAt: 1_000, quota: new Map([["limits.cpu", 0.95]]) });
    const shown = lines();
    metrics.forget("a");

    assert.deepEqual(shown, [
      'neurallog_tenant_condition{condition="Ready",tenant="a"} 1',
      'neurallog_tenant_count{phase="Running"} 1',
      'neurallog_tenant_creation_total{result="success"} 1',
      "neurallog_tenant_namespace_conflicts 0",
      'neurallog_tenant_quota_used_ratio{resource="limits.cpu",tenant="a"} 0.95',
      'neurallog_tenant_rotation_age_seconds{tenant="a"} 4',
    ]);
    assert.ok(!lines().some((line) => line.includes('tenant="a"')));
  });

  it("count a creation once, and a failure once for each generation", () => {
    const { metrics, lines } = bench();
    metrics.recordPhase(at("Provisioning", "Running"));
    metrics.recordPhase(at("Running", "Degraded"));
    metrics.recordPhase(at("Degraded", "Provisioning"));
    metrics.recordPhase(at("Provisioning", "Running"));
    metrics.recordPhase(at("Running", "Failed", 2));
    metrics.recordPhase(at("Failed", "Failed", 2));
    metrics.recordPhase(at("Provisioning", "Failed", 2));
    metrics.recordPhase(at("Provisioning", "Failed", 3));

    assert.ok(lines().includes('neurallog_tenant_creation_total{result="success"} 1'));
    assert.ok(lines().includes('neurallog_tenant_creation_total{result="failure"} 2'));
  });

  it("do not count the creation of a tenant that ran before this process started", () => {
    const { metrics, lines } = bench();
    metrics.recordPhase(at("Running", "Running"));

    assert.ok(!lines().some((line) => line.startsWith("neurallog_tenant_creation_total")));
  });
});
