import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiResource } from "@homeostat/client";
import type { DeepReadonly, OwnerReference } from "@homeostat/core";
import type { Deployment, ReplicaSet } from "@homeostat/kubernetes/apps/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import type { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import fc from "fast-check";
import { goSelector } from "../common/go-selector.ts";
import { budgetStatus, countHealthy, disruptedPods, expectation, failedStatus, needsScale, partOf } from "./budget.ts";
import { expectedScale, type ScaleSources } from "./scale.ts";

const now = Date.UTC(2026, 0, 1, 0, 10);

function budget(
  spec: PodDisruptionBudget["spec"],
  status?: DeepReadonly<PodDisruptionBudget>["status"],
): DeepReadonly<PodDisruptionBudget> {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web", namespace: "shop", generation: 3 },
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status }),
  };
}

function pod(
  name: string,
  {
    isReady = true,
    owner,
    isBeingDeleted = false,
  }: { isReady?: boolean; owner?: OwnerReference; isBeingDeleted?: boolean } = {},
): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "shop",
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
      ...(isBeingDeleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
    spec: { containers: [] },
    status: { conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
  };
}

const table: readonly (readonly [PodDisruptionBudget["spec"], number, number, number])[] = [
  // spec, replicas of the controllers, expected pods, desired healthy; 4 pods exist
  [{ minAvailable: 2 }, 10, 4, 2],
  [{ minAvailable: "50%" }, 5, 5, 3],
  [{ minAvailable: "100%" }, 5, 5, 5],
  [{ maxUnavailable: 1 }, 5, 5, 4],
  [{ maxUnavailable: 7 }, 5, 5, 0],
  [{ maxUnavailable: "30%" }, 5, 5, 3],
  [{ maxUnavailable: "0%" }, 5, 5, 5],
  [{}, 5, 0, 0],
];

describe("the expectation of a disruption budget", () => {
  for (const [spec, scale, expectedPods, desiredHealthy] of table) {
    it(`for ${scale} replicas with ${JSON.stringify(spec)} is ${desiredHealthy} healthy of ${expectedPods}`, () => {
      assert.deepEqual(expectation(budget(spec), { pods: 4, scale }), { expectedPods, desiredHealthy });
    });
  }

  it("needs the scale of the controllers except for an integer minAvailable", () => {
    assert.deepEqual(
      table.map(([spec]) => needsScale(budget(spec))),
      [false, true, true, true, true, true, true, false],
    );
  });

  it("rounds percentages up", () => {
    fc.assert(
      fc.property(fc.nat(100), fc.nat(1000), (percent, whole) => {
        const part = partOf(`${percent}%`, whole);

        assert.ok(part * 100 >= percent * whole && (part - 1) * 100 < percent * whole);
      }),
    );
  });
});

describe("the pods of a disruption budget", () => {
  it("are healthy when they are ready and neither deleted nor evicted", () => {
    const pods = [pod("a"), pod("b", { isReady: false }), pod("c", { isBeingDeleted: true }), pod("d")];

    assert.equal(countHealthy(pods, { d: "2026-01-01T00:09:00Z" }), 1);
  });

  it("count as evicted for two minutes, unless they are being deleted", () => {
    const status = {
      disruptedPods: {
        a: "2026-01-01T00:09:00Z",
        b: "2026-01-01T00:01:00Z",
        c: "2026-01-01T00:09:30Z",
        gone: "2026-01-01T00:09:30Z",
      },
    };

    const disrupted = disruptedPods(budget({}, status), [pod("a"), pod("b"), pod("c", { isBeingDeleted: true })], now);

    assert.deepEqual(disrupted, {
      pods: { a: "2026-01-01T00:09:00Z" },
      overdue: ["b"],
      recheckAt: Date.UTC(2026, 0, 1, 0, 11, 0, 1),
    });
  });
});

describe("the status of a disruption budget", () => {
  it("reports how many pods may be evicted, and why", () => {
    const healthy = { expectedPods: 3, desiredHealthy: 2, disrupted: {}, now };

    const roomy = budgetStatus(budget({}), { ...healthy, currentHealthy: 3 });
    const tight = budgetStatus(budget({}, roomy), { ...healthy, currentHealthy: 1 });

    assert.equal(roomy.disruptionsAllowed, 1);
    assert.deepEqual(
      roomy.conditions?.map(({ status, reason, observedGeneration }) => [status, reason, observedGeneration]),
      [["True", "SufficientPods", 3]],
    );
    assert.equal(tight.disruptionsAllowed, 0);
    assert.equal(tight.conditions?.[0]?.reason, "InsufficientPods");
  });

  it("allows no disruption when no pods are expected or the scale is unknown", () => {
    const empty = budgetStatus(budget({}), {
      expectedPods: 0,
      desiredHealthy: 0,
      currentHealthy: 2,
      disrupted: {},
      now,
    });
    const failed = failedStatus(budget({}, { ...empty, disruptionsAllowed: 1 }), "no idea", now);

    assert.equal(empty.disruptionsAllowed, 0);
    assert.equal(failed.disruptionsAllowed, 0);
    assert.deepEqual(
      failed.conditions?.map(({ reason, message }) => [reason, message]),
      [["SyncFailed", "no idea"]],
    );
  });
});

describe("the expected scale", () => {
  const kind: ApiResource = {
    group: "example.com",
    version: "v1",
    kind: "Widget",
    plural: "widgets",
    scope: "Namespaced",
    singular: "widget",
    shortNames: [],
    categories: [],
    verbs: [],
    subresources: [],
  };
  const owner = (kindName: string, apiVersion: string, name: string): OwnerReference => ({
    apiVersion,
    kind: kindName,
    name,
    uid: `uid-${name}`,
    controller: true,
  });
  const set = (name: string, replicas: number, by?: OwnerReference): ReplicaSet => ({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, uid: `uid-${name}`, ...(by === undefined ? {} : { ownerReferences: [by] }) },
    spec: { replicas, selector: {} },
  });
  const deployment: Deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", uid: "uid-web" },
    spec: { replicas: 7, selector: {}, template: {} },
  };
  const sets = [
    set("alone", 3),
    set("old", 1, owner("Deployment", "apps/v1", "web")),
    set("new", 6, owner("Deployment", "apps/v1", "web")),
  ];
  const sources: ScaleSources = {
    client: { get: () => Promise.resolve(undefined) },
    kinds: { find: (reference) => (reference.kind === "Widget" ? kind : undefined) },
    replicaSet: ({ name }) => sets.find(({ metadata }) => metadata.name === name),
    deployment: ({ name }) => (name === "web" ? deployment : undefined),
    statefulSet: () => undefined,
  };
  const { signal } = new AbortController();

  it("adds the replicas of ReplicaSets and Deployments, each counted once", async () => {
    const pods = ["alone", "old", "new", "new"].map((name, index) =>
      pod(`${index}`, { owner: owner("ReplicaSet", "apps/v1", name) }),
    );

    assert.deepEqual(await expectedScale([...pods, pod("unmanaged")], sources, signal), {
      scale: 10,
      unmanaged: ["unmanaged"],
    });
  });

  it("is unknown when a controller has no scale subresource", async () => {
    await assert.rejects(
      expectedScale([pod("a", { owner: owner("Widget", "example.com/v1", "w") })], sources, signal),
      /widgets\.example\.com does not implement the scale subresource/,
    );
    await assert.rejects(
      expectedScale([pod("a", { owner: owner("Nothing", "example.com/v1", "w") })], sources, signal),
      /no matches for kind "Nothing" in version "example\.com\/v1"/,
    );
  });
});

describe("goSelector", () => {
  it("prints sorted labels and expressions", () => {
    const selector = {
      matchLabels: { b: "2", a: "1" },
      matchExpressions: [{ key: "x", operator: "In", values: ["y", "z"] }],
    };

    assert.equal(
      goSelector(selector),
      "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:x,Operator:In,Values:[y z],},},}",
    );
    assert.equal(goSelector(undefined), "nil");
  });
});
