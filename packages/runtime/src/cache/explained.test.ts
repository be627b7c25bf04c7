import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { applyMergePatch } from "@homeostat/core";
import { isExplained } from "./explained.ts";

const before = {
  metadata: { name: "web", resourceVersion: "5", generation: 1, labels: { app: "web" } },
  spec: { replicas: 1, containers: [{ name: "a", image: "a:1", pull: "Always" }], paused: true },
  status: { ready: 1 },
};
const next = (change: object): unknown =>
  applyMergePatch(before, { metadata: { resourceVersion: "6", generation: 2 }, ...change });

describe("isExplained", () => {
  it("returns true if only sent fields changed", () => {
    assert.ok(isExplained(before, next({ spec: { replicas: 3 } }), { spec: { replicas: 3 } }));
    assert.ok(isExplained(before, next({}), { spec: { replicas: 1 } }), "only the version changed");
    assert.ok(
      isExplained(before, next({ spec: { containers: [{ name: "a", image: "a:2", pull: "Always" }] } }), {
        spec: { containers: [{ name: "a", image: "a:2" }] },
      }),
      "what the server fills in was there before",
    );
    assert.ok(isExplained(before, next({ more: { deep: [1] } }), { more: { deep: [1] } }), "a new field");
  });

  it("returns false if any other field changed as well", () => {
    const sent = { spec: { replicas: 3 } };
    for (const change of [
      { spec: { replicas: 3 }, status: { ready: 2 } },
      { spec: { replicas: 4 } },
      { spec: { replicas: 3, extra: 1 } },
      { spec: { replicas: 3, paused: null } },
      { spec: { replicas: 3, containers: [] } },
      { spec: { replicas: 3 }, metadata: { labels: { app: "web", tier: "b" } } },
    ]) {
      assert.ok(!isExplained(before, next(change), sent), JSON.stringify(change));
    }
    assert.ok(!isExplained(before, next({ spec: { replicas: 3 } }), undefined), "the sent fields are unknown");
    assert.ok(!isExplained(undefined, before, sent), "the object did not exist before");
  });

  it("never explains another client's change to fields that were not sent", () => {
    const part = fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__"), fc.oneof(fc.nat(3), fc.constant([1, 2])));
    fc.assert(
      fc.property(part, part, part, (state, sent, foreign) => {
        const was = { metadata: { name: "x" }, spec: state };
        const is = { metadata: { name: "x" }, spec: applyMergePatch(applyMergePatch(state, foreign), sent) };

        // The actual object is what the writer would predict, or the writer is notified.
        const predicted = { metadata: { name: "x" }, spec: applyMergePatch(state, sent) };
        if (isExplained(was, is, { spec: sent })) assert.deepEqual(is, predicted);
      }),
    );
  });

  it("accepts values of any depth", () => {
    const deep = (end: unknown): unknown => {
      let value = end;
      for (let i = 0; i < 200; i += 1) value = { a: value };
      return { spec: value };
    };

    assert.ok(isExplained(deep(1), deep(1), {}));
    assert.ok(!isExplained(deep(1), deep(2), {}));
  });
});
