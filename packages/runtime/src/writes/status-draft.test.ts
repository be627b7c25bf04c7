import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type DeepReadonly, type KubeObject } from "@homeostat/core";
import fc from "fast-check";
import { StatusDraft } from "./status-draft.ts";

interface Box extends KubeObject {
  status?: {
    phase?: string;
    count?: number;
    conditions?: { type: string; status: string; reason?: string; lastTransitionTime?: string }[];
  };
}

const box = (generation = 3): DeepReadonly<Box> => ({
  apiVersion: "example.com/v1",
  kind: "Box",
  metadata: { name: "a", generation },
});
const early = Date.UTC(2026, 0, 1);
const late = Date.UTC(2026, 0, 2);
const ready = {
  type: "Ready",
  status: "True",
  reason: "AllThere",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  observedGeneration: 3,
};

describe("StatusDraft", () => {
  it("sets fields, removes undefined ones, and keeps the rest", () => {
    const draft = new StatusDraft<Box>(box());

    draft.set({ phase: "Ready", count: undefined });

    assert.deepEqual(draft.next({ phase: "New", count: 1, theirs: { x: 1 } }), { phase: "Ready", theirs: { x: 1 } });
  });

  it("calls a function for each status, with the changes before it applied", () => {
    const draft = new StatusDraft<Box>(box());
    draft.set({ count: 5 });
    draft.set((status) => ({ count: (status?.count ?? 0) + 1 }));

    assert.deepEqual(draft.next({ count: 1 }), { count: 6 });
    const fresh = new StatusDraft<Box>(box());
    fresh.set((status) => ({ phase: status === undefined ? "New" : "Old" }));
    assert.deepEqual([fresh.next(undefined), fresh.next({})], [{ phase: "New" }, { phase: "Old" }]);
  });

  it("sets a condition with observedGeneration and lastTransitionTime", () => {
    const draft = new StatusDraft<Box>(box());

    draft.setCondition("Ready", { status: true, reason: "AllThere" }, early);

    assert.deepEqual(draft.next(undefined), { conditions: [ready] });
  });

  it("changes the lastTransitionTime of a condition only with its status", () => {
    const same = new StatusDraft<Box>(box());
    same.setCondition("Ready", { status: "True", reason: "StillThere" }, late);
    const other = new StatusDraft<Box>(box());
    other.setCondition("Ready", { status: false, reason: "Gone" }, late);

    const [kept, moved] = [same, other].map((draft) => draft.next({ conditions: [ready] }));

    assert.deepEqual(kept, { conditions: [{ ...ready, reason: "StillThere" }] });
    assert.deepEqual(moved, {
      conditions: [{ ...ready, status: "False", reason: "Gone", lastTransitionTime: "2026-01-02T00:00:00Z" }],
    });
  });

  it("applies only the last change of a condition", () => {
    const draft = new StatusDraft<Box>(box());
    draft.setCondition("Ready", { status: false, reason: "Looking" }, early);
    draft.removeCondition("Ready");
    draft.setCondition("Ready", { status: true, reason: "AllThere" }, late);

    assert.deepEqual(draft.next({ conditions: [ready] }), { conditions: [ready] });
  });

  it("keeps other conditions and unknown fields of a condition, and removes its own conditions", () => {
    const theirs = { type: "Theirs", status: "Strange", extra: true };
    const draft = new StatusDraft<Box>(box());
    draft.setCondition("Ready", { status: true, reason: "AllThere" }, late);
    draft.removeCondition("Old");

    const next = draft.next({ conditions: [theirs, { ...ready, lastProbe: "x" }, { ...ready, type: "Old" }] });

    assert.deepEqual(next, { conditions: [theirs, { ...ready, lastProbe: "x" }] });
  });

  it("sets the generation that the reconcile has read, even on a newer object", () => {
    const draft = new StatusDraft<Box>(box(2));
    draft.setCondition("Ready", { status: true, reason: "AllThere" }, early);

    assert.deepEqual(draft.next({ conditions: [ready] }), { conditions: [{ ...ready, observedGeneration: 2 }] });
  });

  it("rejects an invalid condition when it is set", () => {
    const draft = new StatusDraft<Box>(box());

    assert.throws(() => draft.setCondition("Ready", { status: true, reason: "not a word" }, early), {
      code: "ARGUMENT",
    });
    assert.ok(draft.isEmpty);
  });

  it("supports keys such as __proto__", () => {
    const draft = new StatusDraft<Box>(box());
    const fields: object = JSON.parse('{"__proto__": {"x": 1}, "constructor": "y"}');
    draft.set(fields);

    const next = draft.next({ toString: 1 });

    assert.deepEqual(Object.keys(next).toSorted(), ["__proto__", "constructor", "toString"]);
    assert.equal(Object.hasOwn(Object.prototype, "x"), false);
  });

  it("is idempotent: applied to its own result, it changes nothing", () => {
    const types = fc.constantFrom("Ready", "Synced", "Theirs");
    const step = fc.oneof(
      fc.record({
        set: fc.dictionary(fc.constantFrom("phase", "count", "note"), fc.option(fc.integer(), { nil: undefined })),
      }),
      fc.record({
        type: types,
        status: fc.constantFrom(true, false, "Unknown" as const),
        reason: fc.constantFrom("One", "Two"),
        at: fc.integer({ min: 0, max: 10 }),
      }),
      fc.record({ remove: types }),
    );
    const condition = fc.record(
      {
        type: types,
        status: fc.constantFrom("True", "False", "Odd"),
        reason: fc.constantFrom("One", "Two"),
        message: fc.constantFrom("", "x"),
        lastTransitionTime: fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z"),
        more: fc.integer(),
      },
      { requiredKeys: ["type", "status"] },
    );
    const before = fc.option(
      fc.record(
        {
          phase: fc.string(),
          conditions: fc.uniqueArray(condition, { selector: ({ type }) => type }),
          theirs: fc.object(),
        },
        { requiredKeys: [] },
      ),
      { nil: undefined },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), before, (steps, status) => {
        const draft = new StatusDraft<Box>(box());
        for (const one of steps) {
          if ("set" in one) draft.set(one.set);
          else if ("remove" in one) draft.removeCondition(one.remove);
          else draft.setCondition(one.type, { status: one.status, reason: one.reason }, late + one.at * 1000);
        }
        const frozen = JSON.stringify(status);

        const once = draft.next(status);
        const twice = draft.next(once);

        assert.deepEqual(twice, once);
        assert.equal(JSON.stringify(status), frozen, "the given status is not changed");
        assert.deepEqual(once["theirs"], status?.theirs);
      }),
      { numRuns: 2000 },
    );
  });
});
