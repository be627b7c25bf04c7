import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiErrorFrom, ArgumentError } from "@homeostat/core";
import { type ReconcileRecord, recordedError, type RecordedResult } from "./reconcile-record.ts";
import { ReconcileHistory } from "./reconcile-history.ts";

function recordOf(id: string, result: RecordedResult = "done"): ReconcileRecord {
  const times = { startedAt: 1, durationMs: 2, waitedMs: 3, attempt: 1 };
  return { id, ...times, why: ["x"], writes: [], writesOmitted: 0, events: [], result };
}

describe("FlightRecorder", () => {
  it("keeps the last reconciles of an object, newest first", () => {
    const recorder = new ReconcileHistory({ reconcilesMax: 3 });

    for (const id of ["1", "2", "3", "4", "5"]) recorder.record("sites", "default/a", recordOf(id));

    assert.deepEqual(
      recorder.explain("sites", "default/a").reconciles.map(({ id }) => id),
      ["5", "4", "3"],
    );
    assert.deepEqual(
      [...recorder.keys()].map(({ key, last }) => [key, last.id]),
      [["default/a", "5"]],
    );
    assert.deepEqual(recorder.explain("sites", "default/b"), {
      controller: "sites",
      key: "default/b",
      now: undefined,
      reconciles: [],
    });
  });

  it("replaces the newest record when the same reconcile is recorded again", () => {
    const recorder = new ReconcileHistory({ reconcilesMax: 2 });

    for (const id of ["1", "2", "3"]) {
      recorder.record("sites", "a", recordOf(id, "stuck"));
      recorder.record("sites", "a", recordOf(id, "failed"));
    }

    assert.deepEqual(
      recorder.explain("sites", "a").reconciles.map(({ id, result }) => [id, result]),
      [
        ["3", "failed"],
        ["2", "failed"],
      ],
    );
  });

  it("returns the queue state of an object while its controller leads", () => {
    const recorder = new ReconcileHistory();
    const following = recorder.follow("sites", (key) => ({ state: key === "a" ? "running" : "idle", reasons: [] }));

    const during = recorder.explain("sites", "a").now;
    following[Symbol.dispose]();

    assert.deepEqual(during, { state: "running", reasons: [] });
    assert.equal(recorder.explain("sites", "a").now, undefined);
  });

  it("evicts succeeding objects before failing ones, which may take only a share of the capacity", () => {
    const recorder = new ReconcileHistory({ keysMax: 4 });
    recorder.record("sites", "bad", recordOf("1", "failed"));

    for (let i = 0; i < 100; i += 1) recorder.record("sites", `good-${i}`, recordOf("1"));
    const afterGood = [...recorder.keys("sites")].map(({ key }) => key);
    for (let i = 0; i < 100; i += 1) recorder.record("sites", `bad-${i}`, recordOf("1", "terminal"));
    const afterBad = [...recorder.keys("sites")].map(({ key }) => key);

    assert.deepEqual(afterGood, ["bad", "good-99", "good-98", "good-97"]);
    assert.deepEqual(afterBad, ["bad-99", "bad-98", "bad-97", "good-99"]);
    assert.equal(recorder.size, 4);
  });

  it("keeps corrected drift longer than the reconciles that corrected it, in a log of limited length", () => {
    const recorder = new ReconcileHistory({ reconcilesMax: 2 });
    const drift = { object: "Service a/web", fields: ["spec.ports"], managers: ["kubectl-edit"], wasDeleted: false };
    const drifting = (id: string): ReconcileRecord => ({ ...recordOf(id), drifts: [drift] });

    recorder.record("sites", "a", { ...drifting("first"), result: "stuck" });
    recorder.record("sites", "a", drifting("first"));
    for (const id of ["1", "2", "3"]) recorder.record("sites", "a", recordOf(id));
    const later = recorder.explain("sites", "a").drifts;
    for (let i = 0; i < 100; i += 1) recorder.record("sites", "a", drifting(`drift-${i}`));

    assert.deepEqual(later, [{ ...drift, at: 3, reconcileId: "first" }]);
    const { drifts = [] } = recorder.explain("sites", "a");
    assert.deepEqual([drifts.length, drifts[0]?.reconcileId], [32, "drift-99"]);
  });

  it("evicts an object that has recovered like all others", () => {
    const recorder = new ReconcileHistory({ keysMax: 2 });
    recorder.record("sites", "a", recordOf("1", "failed"));
    recorder.record("sites", "a", recordOf("2"));

    recorder.record("sites", "b", recordOf("1"));
    recorder.record("sites", "c", recordOf("1"));

    assert.deepEqual(
      [...recorder.keys()].map(({ key }) => key),
      ["c", "b"],
    );
  });

  it("rejects sizes that are not positive integers", () => {
    assert.throws(() => new ReconcileHistory({ reconcilesMax: 0 }), ArgumentError);
    assert.throws(() => new ReconcileHistory({ keysMax: 1.5 }), ArgumentError);
  });

  it("takes less than 5 µs per reconcile", () => {
    const recorder = new ReconcileHistory();
    const keys = Array.from({ length: 2000 }, (_, i) => `default/object-${i}`);
    const run = (rounds: number): void => {
      for (let i = 0; i < rounds; i += 1)
        recorder.record("sites", keys[i % 2000] ?? "", recordOf("1", i % 7 === 0 ? "failed" : "done"));
    };
    run(20_000);

    const microseconds = [1, 2, 3, 4, 5].map(() => {
      const before = process.cpuUsage();
      run(50_000);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 50_000;
    });

    // The minimum of five, because other work of the process and the machine slows some of them.
    assert.ok(Math.min(...microseconds) < 5, `${microseconds.join(", ")} µs`);
  });
});

describe("recordedError", () => {
  it("drops values of objects that the server's response quotes", () => {
    const error = apiErrorFrom({
      status: 422,
      request: { method: "PATCH", path: "/api/v1/secrets/a" },
      body: {
        kind: "Status",
        reason: "Invalid",
        message: 'Secret "a" is invalid: data: Invalid value: "hunter2"',
        details: { causes: [{ field: "data", reason: "FieldValueInvalid", message: 'Invalid value: "hunter2"' }] },
      },
    });

    const kept = recordedError(error);

    assert.deepEqual(kept, { code: "INVALID", message: "422 Invalid on PATCH /api/v1/secrets/a: data" });
  });

  it("accepts any thrown value", () => {
    assert.deepEqual(recordedError(new TypeError("no")), { code: "TypeError", message: "no" });
    assert.deepEqual(recordedError("text"), { code: "UNKNOWN", message: "text" });
    assert.deepEqual(recordedError({ secret: 1 }), { code: "UNKNOWN", message: "object" });
    assert.equal(recordedError(new Error("x".repeat(5000))).message.length, 512);
  });
});
