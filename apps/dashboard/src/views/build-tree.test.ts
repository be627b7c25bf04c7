import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ResourceType } from "@homeostat/core";
import { buildTree, type TreeCandidate } from "./build-tree.ts";

const pods: ResourceType = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };

function candidate(name: string, owner?: string, mark?: string): TreeCandidate {
  const ownerReferences = owner === undefined ? [] : [{ apiVersion: "v1", kind: "X", name: owner, uid: owner }];
  const annotations = mark === undefined ? {} : { "homeostat.dev/owner-uid": mark };
  const metadata = { name, uid: name, resourceVersion: "1", namespace: "a", ownerReferences, annotations };
  return { type: pods, object: { apiVersion: "v1", kind: "Pod", metadata } };
}

describe("buildTree", () => {
  it("contains objects that are owned directly, through others, and by an annotation if they have no owner reference", () => {
    const others = [
      candidate("pod", "set", "root"),
      candidate("set", "root"),
      candidate("far", undefined, "root"),
      candidate("stranger", "x"),
    ];

    const { nodes, omitted } = buildTree(candidate("root"), others, 100);

    assert.deepEqual(
      nodes.map(({ name, parent }) => [name, parent]),
      [
        ["root", undefined],
        ["far", "root"],
        ["set", "root"],
        ["pod", "set"],
      ],
    );
    assert.equal(omitted, 0);
  });

  it("ends in a cycle of owners, and counts objects beyond its limit", () => {
    const others = [candidate("a", "root"), candidate("root", "a"), candidate("b", "a"), candidate("c", "a")];

    const { nodes, omitted } = buildTree(candidate("root", "a"), others, 2);

    assert.deepEqual([nodes.length, omitted], [2, 2]);
  });
});
