import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Lease } from "@homeostat/kubernetes/coordination/v1";
import type { Node, Taint } from "@homeostat/kubernetes/core/v1";
import { heartbeatAgeMs, unknownConditions } from "./heartbeat-age.ts";
import { desiredTaints } from "./taints.ts";

const notReady: Taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
const unreachable: Taint = { key: "node.kubernetes.io/unreachable", effect: "NoSchedule" };
const unschedulable: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
const foreign: Taint = { key: "example.com/gpu", value: "a", effect: "NoSchedule" };
const executed: Taint = { key: "node.kubernetes.io/not-ready", effect: "NoExecute" };

function node(ready: string, taints: readonly Taint[] = [], isUnschedulable = false): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { taints: [...taints], ...(isUnschedulable ? { unschedulable: true } : {}) },
    status: {
      conditions: [
        { type: "Ready", status: ready },
        { type: "DiskPressure", status: "False" },
      ],
    },
  };
}

describe("the taints of a node", () => {
  const table: readonly (readonly [string, Node, readonly Taint[] | undefined])[] = [
    ["lose not-ready when the node becomes ready", node("True", [notReady]), []],
    ["are not changed on a ready node", node("True"), undefined],
    ["get not-ready when the node is not ready", node("False"), [notReady]],
    ["get unreachable when the node is unknown", node("Unknown", [notReady]), [unreachable]],
    ["keep those of other owners", node("True", [foreign, notReady]), [foreign]],
    ["keep those with the effect NoExecute", node("True", [executed]), undefined],
    ["get unschedulable when the node is cordoned", node("True", [], true), [unschedulable]],
    ["lose unschedulable when the node is uncordoned", node("True", [unschedulable]), []],
  ];
  for (const [what, object, desired] of table) {
    it(what, () => {
      assert.deepEqual(desiredTaints(object), desired);
    });
  }
});

describe("a node without a heartbeat", () => {
  const at = Date.parse("2026-01-01T00:01:00Z");

  it("is measured from the renewal of its Lease, or from its creation", () => {
    const lease: Lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: {},
      spec: { renewTime: "2026-01-01T00:00:50.000000Z" },
    };

    assert.equal(heartbeatAgeMs(node("True"), lease, at), 10_000);
    assert.equal(heartbeatAgeMs(node("True"), undefined, at), 60_000);
  });

  it("gets conditions with status Unknown, written once", () => {
    const conditions = unknownConditions(node("True"), at) ?? [];

    assert.deepEqual(
      conditions.map(({ status, reason }) => [status, reason]),
      [
        ["Unknown", "NodeStatusUnknown"],
        ["Unknown", "NodeStatusUnknown"],
      ],
    );
    assert.equal(unknownConditions({ ...node("True"), status: { conditions } }, at), undefined);
  });
});
