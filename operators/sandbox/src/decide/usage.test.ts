import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PodSpec } from "@homeostat/kubernetes/core/v1";
import { parseQuantity } from "@homeostat/core";
import { type Ceilings, decideCounts, decideQuota, type NamespaceUser } from "./quota.ts";
import { addUsage, noUsage, podLimit, type Usage, usageOf } from "./usage.ts";

function limits(cpu: string, memory = "0"): PodSpec["containers"][number] {
  return { name: `c-${cpu}-${memory}`, image: "i", resources: { limits: { cpu, memory } } };
}

function usage(cpu: string, memory: string, pods: number): Usage {
  return { cpu: parseQuantity(cpu), memory: parseQuantity(memory), pods };
}

describe("the limit of a pod", () => {
  const rows: readonly [name: string, spec: PodSpec, expected: string][] = [
    ["is the sum of its containers", { containers: [limits("500m"), limits("1")] }, "1500m"],
    ["is zero without limits", { containers: [{ name: "a", image: "i" }] }, "0"],
    ["is its own", { containers: [limits("5")], resources: { limits: { cpu: "2" } } }, "2"],
    ["is that of a larger init container", { containers: [limits("1")], initContainers: [limits("3")] }, "3"],
    [
      "includes sidecars",
      { containers: [limits("1")], initContainers: [{ ...limits("250m"), restartPolicy: "Always" }] },
      "1250m",
    ],
    [
      "includes sidecars that start before an init container",
      { containers: [limits("1")], initContainers: [{ ...limits("1"), restartPolicy: "Always" }, limits("2")] },
      "3",
    ],
  ];
  for (const [name, spec, expected] of rows) {
    it(name, () => assert.equal(podLimit(spec, "cpu").canonical(), expected));
  }
});

describe("the usage of forks", () => {
  it("is the sum of limits times replicas", () => {
    const sum = usageOf([
      { spec: { containers: [limits("500m", "256Mi")] }, replicas: 3 },
      { spec: { containers: [limits("1", "1Gi")] }, replicas: 1 },
      { spec: { containers: [limits("8", "8Gi")] }, replicas: 0 },
    ]);

    assert.deepEqual([sum.cpu.canonical(), sum.memory.canonical(), sum.pods], ["2500m", "1792Mi", 4]);
  });

  it("is nothing without forks", () => {
    assert.ok(usageOf([]).cpu.isZero());
    assert.equal(addUsage(noUsage, noUsage).pods, 0);
  });
});

describe("the quota decision", () => {
  const ceilings: Ceilings = { cpu: 2, memory: "2Gi", pods: 20 };
  const input = { uid: "b", createdAtMs: 5, usage: usage("1", "1Gi", 2), ceilings, shares: [], isRunning: false };
  const other: NamespaceUser = { uid: "a", createdAtMs: 1, usage: usage("15", "1Gi", 3), isRunning: true };
  const share = { namespace: "shop", quota: { cpu: "16", memory: "20Gi", pods: 100 }, own: usage("1", "1Gi", 2) };

  it("accepts sums that are equal to the ceilings", () => {
    assert.deepEqual(decideQuota({ ...input, usage: usage("2", "2048Mi", 20) }), { isWithin: true });
    assert.deepEqual(decideQuota({ ...input, shares: [{ ...share, others: [other] }] }), { isWithin: true });
  });

  it("refuses the first start if the sandbox needs more than its ceilings, and names all", () => {
    const decision = decideQuota({ ...input, usage: usage("2001m", "3Gi", 21) });

    assert.ok(!decision.isWithin);
    assert.equal(decision.effect, "refuse");
    assert.equal(decision.reason, "SandboxResourcesExceeded");
    assert.match(decision.message, /2001m CPU, more than the 2 of spec\.resources/);
    assert.match(decision.message, /3Gi memory, more than the 2Gi/);
    assert.match(decision.message, /21 pods, more than the 20/);
  });

  it("keeps running forks as they are", () => {
    const decision = decideQuota({ ...input, usage: usage("3", "1Gi", 1), isRunning: true });

    assert.ok(!decision.isWithin);
    assert.equal(decision.effect, "keep");
    assert.match(decision.message, /The running forks stay as they are/);
  });

  it("counts running and older sandboxes of the namespace, not younger ones that have not started", () => {
    const decide = (each: NamespaceUser) =>
      decideQuota({ ...input, shares: [{ ...share, quota: { cpu: "15" }, others: [each] }] });

    assert.equal(decide(other).isWithin, false);
    assert.equal(decide({ ...other, isRunning: false }).isWithin, false);
    assert.equal(decide({ ...other, createdAtMs: 9 }).isWithin, false);
    assert.equal(decide({ ...other, createdAtMs: 9, isRunning: false }).isWithin, true);
    assert.equal(decide({ ...other, createdAtMs: 5, uid: "c", isRunning: false }).isWithin, true);
  });

  it("does not limit what has no ceiling", () => {
    assert.deepEqual(decideQuota({ ...input, ceilings: {}, usage: usage("1000", "1Ti", 999) }), { isWithin: true });
  });

  it("gives places to the oldest sandboxes if two were created at once", () => {
    const one = { uid: "a", createdAtMs: 1, isOfSameUser: true };
    const two = { uid: "b", createdAtMs: 1, isOfSameUser: true };
    const limitsOf = { sandboxesMax: 1, perUserMax: 5, isRunning: false };

    assert.deepEqual(decideCounts({ ...one, others: [two], ...limitsOf }), { isWithin: true });
    const decision = decideCounts({ ...two, others: [one], ...limitsOf });
    assert.ok(!decision.isWithin);
    assert.equal(decision.reason, "Raced");
    assert.match(decision.message, /the namespace may have 1 sandboxes/);
  });

  it("counts the sandboxes of one user apart", () => {
    const others = [{ uid: "a", createdAtMs: 1, isOfSameUser: false }];
    const limitsOf = { sandboxesMax: undefined, perUserMax: 1, isRunning: true };

    assert.equal(decideCounts({ uid: "b", createdAtMs: 2, others, ...limitsOf }).isWithin, true);
    const own = decideCounts({
      uid: "b",
      createdAtMs: 2,
      others: [{ uid: "a", createdAtMs: 1, isOfSameUser: true }],
      ...limitsOf,
    });
    assert.ok(!own.isWithin);
    assert.equal(own.effect, "keep");
  });
});
