import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { deployment, set } from "../../testing/deployments.ts";
import { currentSize, isScaling, type Resize, scaleAll, shrinkOld } from "./scale.ts";
import { desired, maxSurge, maxUnavailable, scaled, sizeOf, totalSize } from "./strategy.ts";

const sizes = (steps: readonly Resize[]): string[] =>
  steps.map(({ set: { metadata }, size }) => `${metadata.name} ${size}`);

describe("maxSurge and maxUnavailable", () => {
  it("resolve percentages, rounded up for surge and down for unavailability", () => {
    assert.equal(scaled("25%", 10, { up: true }), 3);
    assert.equal(scaled("25%", 10, { up: false }), 2);
    assert.equal(scaled(4, 10, { up: true }), 4);
    assert.equal(scaled(undefined, 10, { up: true }), 0);
  });

  it("are never both zero", () => {
    const stuck = deployment({
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: "1%" } },
    });

    assert.equal(maxSurge(stuck), 0);
    assert.equal(maxUnavailable(stuck), 1);
  });

  it("are zero with the Recreate strategy, and unavailability is zero without replicas", () => {
    assert.equal(maxSurge(deployment({ strategy: { type: "Recreate" } })), 0);
    assert.equal(maxUnavailable(deployment({ strategy: { type: "Recreate" } })), 0);
    assert.equal(maxUnavailable(deployment({ replicas: 0 })), 0);
    assert.equal(maxUnavailable(deployment({ replicas: 1, strategy: { rollingUpdate: { maxUnavailable: 5 } } })), 1);
  });
});

describe("the size of the current ReplicaSet", () => {
  it("grows within maxSurge", () => {
    assert.equal(currentSize(deployment(), { size: 0, total: 10 }), 3);
    assert.equal(currentSize(deployment(), { size: 3, total: 11 }), 5);
    assert.equal(currentSize(deployment(), { size: 3, total: 13 }), 3);
    assert.equal(currentSize(deployment(), { size: 9, total: 9 }), 10);
  });

  it("is the full size at once with the Recreate strategy", () => {
    assert.equal(currentSize(deployment({ strategy: { type: "Recreate" } }), { size: 0, total: 0 }), 10);
  });
});

describe("scaling down old ReplicaSets", () => {
  it("removes as many pods as may be unavailable", () => {
    assert.deepEqual(
      sizes(shrinkOld(deployment(), set("new", { size: 3, available: 0 }), [set("old", { size: 10 })])),
      ["old 8"],
    );
  });

  it("removes unavailable pods first and keeps the required ones", () => {
    const old = [set("a", { size: 4, available: 1 }), set("b", { size: 6, created: "11:00:00Z" })];

    const steps = shrinkOld(deployment(), set("new", { size: 3, available: 3 }), old);

    assert.deepEqual(sizes(steps), ["a 1", "a 0", "b 5"]);
  });

  it("removes nothing while new pods are not available", () => {
    assert.deepEqual(shrinkOld(deployment(), set("new", { size: 5, available: 0 }), [set("old", { size: 8 })]), []);
  });

  it("never leaves fewer available pods or more pods in total than allowed", () => {
    const one = fc.nat(12).chain((size) => fc.record({ size: fc.constant(size), available: fc.nat(size) }));
    fc.assert(
      fc.property(fc.nat(12), one, fc.array(one, { maxLength: 3 }), (replicas, fresh, old) => {
        const whole = deployment({ replicas });
        const current = set("new", fresh);
        const sets = old.map((options, index) => set(`old${index}`, options));
        const available = [current, ...sets].reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0);

        const steps = shrinkOld(whole, current, sets);
        const after = new Map(sets.map((each) => [each.metadata.uid, sizeOf(each)]));
        for (const { set: each, size } of steps) {
          assert.ok(size < (after.get(each.metadata.uid) ?? 0), "only ever smaller");
          after.set(each.metadata.uid, size);
        }

        const left = sets.reduce(
          (sum, { metadata, status }) => sum + Math.min(after.get(metadata.uid) ?? 0, status?.availableReplicas ?? 0),
          current.status?.availableReplicas ?? 0,
        );
        const least = desired(whole) - maxUnavailable(whole);
        assert.ok(left >= Math.min(available, least), `${left} of ${available} available, ${least} needed`);
      }),
    );
  });
});

describe("a change of spec.replicas", () => {
  it("is detected by the annotation of the ReplicaSets", () => {
    const current = set("new", { size: 3, desired: 10 });

    assert.equal(isScaling(deployment(), { current, old: [] }), false);
    assert.equal(isScaling(deployment({ replicas: 11 }), { current, old: [] }), true);
    assert.equal(isScaling(deployment({ replicas: 11 }), { current: set("new", { desired: 10 }), old: [] }), false);
  });

  it("is applied to the only active ReplicaSet, or to the newest", () => {
    assert.deepEqual(sizes(scaleAll(deployment(), { current: set("new", { size: 4 }), old: [set("old")] })), [
      "new 10",
    ]);
    assert.deepEqual(
      sizes(scaleAll(deployment(), { current: undefined, old: [set("a"), set("b", { created: "11:00:00Z" })] })),
      ["b 10"],
    );
  });

  it("is distributed in proportion to size during a rollout", () => {
    const parts = {
      current: set("new", { size: 5, max: 13, desired: 10 }),
      old: [set("old", { size: 8, max: 13, desired: 10 })],
    };

    const steps = scaleAll(deployment({ replicas: 20 }), parts);

    assert.deepEqual(sizes(steps), ["old 15", "new 10"]);
  });

  it("is distributed without a remainder, whatever the sizes", () => {
    const size = fc.integer({ min: 1, max: 30 });
    fc.assert(
      fc.property(fc.array(size, { minLength: 2, maxLength: 5 }), fc.integer({ min: 1, max: 60 }), (all, replicas) => {
        const before = all.reduce((sum, one) => sum + one, 0);
        const [current, ...old] = all.map((one, index) => set(`s${index}`, { size: one, max: before, available: 0 }));
        const whole = deployment({ replicas });

        const steps = scaleAll(whole, { current, old });

        assert.equal(
          totalSize(steps.map((step) => ({ spec: { ...step.set.spec, replicas: step.size } }))),
          replicas + maxSurge(whole),
        );
        assert.ok(steps.every((step) => step.size >= 0));
      }),
    );
  });

  it("scales old ReplicaSets to zero when the current one has all pods", () => {
    const parts = { current: set("new", { size: 10, desired: 10 }), old: [set("old", { size: 2 })] };

    assert.deepEqual(sizes(scaleAll(deployment(), parts)), ["old 0"]);
  });
});
