import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Lease } from "@homeostat/kubernetes/coordination/v1";
import { type LeaseRecord, readRecord, recordTime, withRecord } from "./record.ts";
import { safeRules, type View } from "./rules.ts";

const record: LeaseRecord = {
  holder: "b",
  leaseMs: 15_000,
  acquireTime: "2026-01-01T00:00:00.000000Z",
  renewTime: "2026-01-01T00:00:10.000000Z",
  transitions: 3,
};

const view: View = {
  identity: "a",
  seen: { record, since: 100_000 },
  monotonic: 100_000,
  wall: Date.UTC(2030, 0, 1),
  leaseMs: 15_000,
  claim: [],
};

describe("election rules", () => {
  const cases: readonly [string, Partial<View>, object][] = [
    ["waits for a record that was just observed, independent of its timestamps", {}, { do: "wait", forMs: 15_000 }],
    ["waits for the rest of the lease duration", { monotonic: 114_999 }, { do: "wait", forMs: 1 }],
    ["acquires an expired Lease", { monotonic: 115_000 }, { do: "acquire" }],
    [
      "waits for the longer duration of the holder",
      { seen: { record: { ...record, leaseMs: 60_000 }, since: 100_000 }, monotonic: 115_000 },
      { do: "wait", forMs: 45_000 },
    ],
    [
      "waits for its own duration if that of the record is shorter",
      { seen: { record: { ...record, leaseMs: 1000 }, since: 100_000 } },
      { do: "wait", forMs: 15_000 },
    ],
    [
      "acquires a released Lease",
      { seen: { record: { ...record, holder: "", leaseMs: 1000 }, since: 100_000 } },
      { do: "acquire" },
    ],
    [
      "acquires a Lease without a spec",
      { seen: { record: readRecord(emptyLease()), since: 100_000 } },
      { do: "acquire" },
    ],
    [
      "waits if only the holder was removed",
      { seen: { record: { ...record, holder: "" }, since: 100_000 } },
      { do: "wait", forMs: 15_000 },
    ],
    [
      "does not accept its own identity as proof",
      { seen: { record: { ...record, holder: "a" }, since: 100_000 } },
      { do: "wait", forMs: 15_000 },
    ],
    ["renews a record that it wrote itself", { claim: [record] }, { do: "renew" }],
  ];
  for (const [name, change, decision] of cases) {
    it(name, () => {
      assert.deepEqual(safeRules.decide({ ...view, ...change }), decision);
    });
  }

  it("measure the write deadline from the start of the request", () => {
    const started = { monotonic: 10, wall: 1_010 };

    const fence = safeRules.fence({ started, responded: { monotonic: 4_010, wall: 5_010 }, renewDeadlineMs: 10_000 });

    assert.deepEqual(fence, { monotonic: 10_010, wall: 11_010 });
    assert.equal(safeRules.isBefore({ monotonic: 10_009, wall: 11_009 }, fence), true);
    assert.equal(safeRules.isBefore({ monotonic: 10_010, wall: 11_009 }, fence), false);
    assert.equal(safeRules.isBefore({ monotonic: 10_009, wall: 11_010 }, fence), false);
  });
});

describe("a lease record", () => {
  it("is read from any stored Lease, and written without changing other fields", () => {
    const lease: Lease = {
      ...emptyLease(),
      spec: { leaseDurationSeconds: -5, leaseTransitions: 2 ** 40, strategy: "OldestEmulationVersion" },
    };

    assert.deepEqual(readRecord(lease), {
      holder: "",
      leaseMs: 0,
      acquireTime: "",
      renewTime: "",
      transitions: 2 ** 31 - 1,
    });
    const written = withRecord(lease, record);
    assert.deepEqual(readRecord(written), record);
    assert.equal(written.spec?.strategy, "OldestEmulationVersion");
    assert.equal(written.metadata.resourceVersion, "5");
  });

  it("never has the renew time of the record that it replaces", () => {
    const now = Date.UTC(2026, 0, 1);

    const first = recordTime(now, "");

    assert.equal(first, "2026-01-01T00:00:00.000000Z");
    assert.equal(recordTime(now, first), "2026-01-01T00:00:00.000001Z");
  });
});

function emptyLease(): Lease {
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "load", resourceVersion: "5" } };
}
