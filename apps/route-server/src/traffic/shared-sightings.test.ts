import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planSightings, type SharedInput, type SharedSighting, sharedMax } from "./shared-sightings.ts";

const now = 1_000_000_000;
const seen = (ageMs: number, traceId = "t"): SharedSighting => ({ traceId, key: "k3v9q2m7x1c4d", at: now - ageMs });
const plan = (change: Partial<SharedInput>) =>
  planSightings({ replica: "a", hasOthers: true, own: [], observed: {}, now, ...change });

describe("planSightings", () => {
  it("shows the newest requests with a key, as many as the limit allows", () => {
    const own = Array.from({ length: sharedMax + 5 }, (_, index) => seen(index, `t${index}`));

    assert.deepEqual(plan({ own }), { a: own.slice(0, sharedMax) });
    assert.deepEqual(plan({ own: [seen(29_999), seen(30_000)] }), { a: [seen(29_999)] });
  });

  it("writes nothing without other replicas, and nothing that is already shown", () => {
    assert.equal(plan({ own: [seen(0)], hasOthers: false }), undefined);
    assert.equal(plan({ own: [seen(0)], observed: { a: [seen(0)] } }), undefined);
    assert.equal(plan({ own: [seen(10, "t1")], observed: { a: [seen(0), seen(10, "t1")] } }), undefined);
  });

  it("removes what is too old, and what a replica that is gone has left behind", () => {
    assert.deepEqual(plan({ observed: { a: [seen(30_000)] } }), { a: null });
    assert.equal(plan({ observed: { a: [seen(29_999)], b: [seen(599_999)] } }), undefined);
    assert.deepEqual(plan({ observed: { b: [seen(600_000)] } }), { b: null });
  });
});
