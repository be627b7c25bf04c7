import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Lease } from "@homeostat/kubernetes/coordination/v1";
import type { Node, Taint } from "@homeostat/kubernetes/core/v1";
import { silentMs, unknownConditions } from "./silent.ts";
import { wantedTaints } from "./taints.ts";

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
    ["a new node that is ready loses the one it was made with", node("True", [notReady]), []],
    ["a ready node without any stays", node("True"), undefined],
    ["a node that is not ready gets one", node("False"), [notReady]],
    ["a node that says nothing gets another", node("Unknown", [notReady]), [unreachable]],
    ["those of others stay", node("True", [foreign, notReady]), [foreign]],
    ["those that drive pods away stay", node("True", [executed]), undefined],
    ["a node that is cordoned says so", node("True", [], true), [unschedulable]],
    ["a node that is not cordoned any more does not", node("True", [unschedulable]), []],
  ];
  for (const [what, object, wanted] of table) {
    it(what, () => {
      assert.deepEqual(wantedTaints(object), wanted);
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

    assert.equal(silentMs(node("True"), lease, at), 10_000);
    assert.equal(silentMs(node("True"), undefined, at), 60_000);
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
