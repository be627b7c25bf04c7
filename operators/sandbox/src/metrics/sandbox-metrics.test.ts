import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Registry } from "@homeostat/runtime";
import { SandboxMetrics } from "./sandbox-metrics.ts";

function registered(): { metrics: SandboxMetrics; page: () => string[] } {
  const metrics = new SandboxMetrics();
  const registry = new Registry();
  metrics.register(registry);
  const page = (): string[] =>
    registry
      .expose()
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
  return { metrics, page };
}

const record = {
  namespace: "shop",
  name: "pr-42",
  phase: "Running" as const,
  usage: { cpu: 1, memory: 1024, pods: 2 },
  drifted: new Map([["cart", true]]),
};

describe("the metrics of sandboxes", () => {
  it("have no series of a sandbox that has ended", () => {
    const { metrics, page } = registered();
    metrics.recordSandbox("shop/pr-42", record);
    metrics.recordGroup("shop/all", { namespace: "shop", name: "all", matched: 1 });
    assert.deepEqual(
      page().filter((line) => /^sandbox_(?:count|drift|fork)|^routegroup/.test(line)),
      [
        'routegroup_matched_sandboxes{group="all",namespace="shop"} 1',
        'sandbox_count{namespace="shop",phase="Running"} 1',
        'sandbox_drift{namespace="shop",sandbox="pr-42",workload="cart"} 1',
        'sandbox_fork_resources{namespace="shop",resource="cpu",sandbox="pr-42"} 1',
        'sandbox_fork_resources{namespace="shop",resource="memory",sandbox="pr-42"} 1024',
        'sandbox_fork_resources{namespace="shop",resource="pods",sandbox="pr-42"} 2',
      ],
    );

    metrics.forgetSandbox("shop/pr-42");
    metrics.forgetGroup("shop/all");

    assert.deepEqual(
      page().filter((line) => /pr-42|group=/.test(line)),
      [],
    );
  });

  it("count a sandbox that is being deleted as Terminating", () => {
    const { metrics, page } = registered();
    metrics.recordSandbox("shop/pr-42", record);

    metrics.recordDeletion("shop/pr-42");

    assert.ok(page().includes('sandbox_count{namespace="shop",phase="Terminating"} 1'));
  });
});
