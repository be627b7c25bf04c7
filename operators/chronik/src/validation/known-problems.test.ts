import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Stored } from "homeostat";
import type { ChronikCluster } from "../api/chronik-cluster.ts";
import { clusterWith, type SpecInput } from "../testing/clusters.ts";
import { defaultSettings } from "../testing/default-settings.ts";
import { KnownProblems } from "./known-problems.ts";

function stored(spec: SpecInput, { uid = "a", resourceVersion = "1" } = {}): Stored<ChronikCluster> {
  const cluster = clusterWith(spec);
  return { ...cluster, metadata: { ...cluster.metadata, name: "demo", uid, resourceVersion } };
}

describe("KnownProblems", () => {
  it("validates each version of a cluster once, also if it was parsed again", () => {
    const known = new KnownProblems();
    const first = known.of(stored({ controllers: 0 }), defaultSettings);

    const second = known.of(stored({ controllers: 0 }), defaultSettings);

    assert.deepEqual(
      first.map(({ path }) => path),
      ["spec.controllers"],
    );
    assert.equal(second, first);
  });

  it("validates a new version, and a new cluster of the same version", () => {
    const known = new KnownProblems();
    known.of(stored({ controllers: 0 }), defaultSettings);

    assert.deepEqual(known.of(stored({ controllers: 3 }, { resourceVersion: "2" }), defaultSettings), []);
    assert.equal(known.of(stored({ controllers: 0 }), defaultSettings).length, 1);
    assert.deepEqual(known.of(stored({ controllers: 3 }, { uid: "b" }), defaultSettings), []);
  });

  it("validates again after it has forgotten a cluster", () => {
    const known = new KnownProblems();
    const first = known.of(stored({ controllers: 0 }), defaultSettings);

    known.forget("a");
    const second = known.of(stored({ controllers: 0 }), defaultSettings);
    known.clear();
    const third = known.of(stored({ controllers: 0 }), defaultSettings);

    assert.deepEqual([second, third], [first, first]);
    assert.ok(second !== first && third !== second);
  });
});
