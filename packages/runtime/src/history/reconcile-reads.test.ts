import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ReconcileReads, sharedReads } from "./reconcile-reads.ts";

const pods = { verb: "get", resource: "pods", source: "cache", objects: 1 } as const;

describe("ReconcileReads", () => {
  it("counts reads per kind, verb and source, and keeps the first names", () => {
    const reads = new ReconcileReads();

    for (let i = 0; i < 100; i += 1) reads.count(pods, () => `a/pod-${i % 20}`);
    reads.count({ ...pods, verb: "list", objects: 3 }, () => "all in a");
    reads.count({ ...pods, source: "live", objects: 0, ms: 7, isFailed: true }, () => "a/gone");
    reads.count({ ...pods, source: "live", ms: 5 }, () => "a/pod-0");

    const names = Array.from({ length: 8 }, (_, i) => `a/pod-${i}`);
    assert.deepEqual(reads.toRecord(), {
      reads: [
        { verb: "get", resource: "pods", source: "cache", of: names, reads: 100, objects: 100 },
        { verb: "list", resource: "pods", source: "cache", of: ["all in a"], reads: 1, objects: 3 },
        {
          verb: "get",
          resource: "pods",
          source: "live",
          of: ["a/gone", "a/pod-0"],
          reads: 2,
          objects: 1,
          ms: 12,
          failures: 1,
        },
      ],
      readsOmitted: 0,
    });
  });

  it("limits the number of entries and the length of names", () => {
    const reads = new ReconcileReads();

    for (let i = 0; i < 40; i += 1) reads.count({ ...pods, resource: `kind-${i}` }, () => "x".repeat(10_000));

    const record = reads.toRecord();
    assert.deepEqual([record.reads.length, record.readsOmitted, record.reads[0]?.of[0]?.length], [32, 8, 200]);
  });

  it("takes less than 1 µs per read", () => {
    const kinds = Array.from({ length: 10 }, (_, i) => `kind-${i}`);
    const run = (): void => {
      const reads = new ReconcileReads();
      for (let i = 0; i < 20_000; i += 1)
        reads.count({ ...pods, resource: kinds[i % 10] ?? "" }, () => `a/object-${i}`);
    };
    for (let i = 0; i < 5; i += 1) run();

    const microseconds = [1, 2, 3, 4, 5].map(() => {
      const before = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 20_000;
    });

    // The minimum of five, because other work of the process and the machine slows some of them.
    assert.ok(Math.min(...microseconds) < 1, `${microseconds.join(", ")} µs`);
  });
});

describe("sharedReads", () => {
  it("returns the reads of the earlier reconcile if they are equal", () => {
    const readsOf = (found: number): ReturnType<ReconcileReads["toRecord"]>["reads"] => {
      const reads = new ReconcileReads();
      reads.count(pods, () => "a/b");
      reads.count({ ...pods, verb: "list", objects: found }, () => "all");
      return reads.toRecord().reads;
    };
    const earlier = readsOf(1);

    assert.equal(sharedReads(readsOf(1), earlier), earlier);
    const changed = sharedReads(readsOf(2), earlier);
    assert.equal(changed[0], earlier[0]);
    assert.equal(changed[1]?.objects, 2);
    assert.deepEqual(sharedReads([], earlier), []);
  });
});
