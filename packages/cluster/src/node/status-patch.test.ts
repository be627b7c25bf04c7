import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { container, podOf } from "../testing/machine-bench.ts";
import { podResources } from "./pod-resources.ts";
import { statusPatch } from "./status-patch.ts";

describe("the status patch", () => {
  it("removes absent fields and keeps the conditions of other writers in front", () => {
    const patch = statusPatch(
      { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      { uid: "u1", others: ["x.io/gate"] },
    );

    assert.deepEqual(patch, {
      metadata: { uid: "u1" },
      status: {
        phase: "Running",
        reason: null,
        message: null,
        conditions: [{ type: "Ready", status: "True", reason: null, message: null }],
        "$setElementOrder/conditions": [{ type: "x.io/gate" }, { type: "Ready" }],
      },
    });
  });

  it("sums the requests of containers, and the limits that all containers have", () => {
    const pod = podOf({
      containers: [
        container("a", {
          resources: { requests: { cpu: "10m", memory: "20Mi" }, limits: { memory: "50Mi", cpu: "1" } },
        }),
        container("b", { resources: { requests: { cpu: "1500m" }, limits: { memory: "14Mi" } } }),
      ],
    });

    assert.deepEqual(podResources(pod), {
      resources: { limits: { memory: "64Mi" }, requests: { cpu: "1510m", memory: "20Mi" } },
      allocatedResources: { cpu: "1510m", memory: "20Mi" },
    });
    assert.deepEqual(podResources(podOf({})), { resources: {} });
  });
});
