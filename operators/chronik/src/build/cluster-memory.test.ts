import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Stored } from "homeostat";
import type { ChronikCluster } from "../api/chronik-cluster.ts";
import { clusterWith } from "../testing/clusters.ts";
import { ClusterMemory } from "./cluster-memory.ts";

function stored({ uid = "a", resourceVersion = "1" } = {}): Stored<ChronikCluster> {
  const cluster = clusterWith({});
  return { ...cluster, metadata: { ...cluster.metadata, name: "demo", uid, resourceVersion } };
}

/** Returns a function that counts its calls. */
function counter(): () => number {
  let calls = 0;
  return () => (calls += 1);
}

describe("ClusterMemory", () => {
  it("computes the value of each version of a cluster once, also if it was parsed again", () => {
    const memory = new ClusterMemory<number>();
    const compute = counter();

    assert.deepEqual([memory.of(stored(), "x", compute), memory.of(stored(), "x", compute)], [1, 1]);
  });

  it("computes the value again for a new version, for other inputs, and for a new cluster of the same version", () => {
    const memory = new ClusterMemory<number>();
    const compute = counter();
    memory.of(stored(), "x", compute);

    assert.equal(memory.of(stored({ resourceVersion: "2" }), "x", compute), 2);
    assert.equal(memory.of(stored({ resourceVersion: "2" }), "y", compute), 3);
    assert.equal(memory.of(stored({ uid: "b", resourceVersion: "2" }), "y", compute), 4);
  });

  it("remembers one value per cluster, until the cluster is forgotten", () => {
    const memory = new ClusterMemory<number>();
    const compute = counter();
    for (const inputs of ["x", "y", "z"]) memory.of(stored(), inputs, compute);
    memory.of(stored({ uid: "b" }), "x", compute);

    assert.equal(memory.size, 2);
    memory.forget("a");
    assert.equal(memory.size, 1);
    assert.equal(memory.of(stored(), "z", compute), 5);
    memory.clear();
    assert.equal(memory.size, 0);
  });
});
