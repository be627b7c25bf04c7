import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asStored, type Stored } from "@homeostat/core";
import type { ReplicaSet, ReplicaSetCondition } from "@homeostat/kubernetes/apps/v1";
import { somePod } from "../../testing/pods.ts";
import { podsToDelete, replicaSetStatus } from "./decide.ts";

const now = Date.UTC(2026, 0, 1, 12);
const failed: ReplicaSetCondition = {
  type: "ReplicaFailure",
  status: "True",
  reason: "FailedCreate",
  message: "first",
  lastTransitionTime: "2026-01-01T11:00:00Z",
};
const set = (conditions?: ReplicaSetCondition[]): Stored<ReplicaSet> =>
  asStored<ReplicaSet>({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web", uid: "me", resourceVersion: "1", generation: 4 },
    spec: {
      replicas: 3,
      minReadySeconds: 60,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web", tier: "a" } } },
    },
    status: { replicas: 0, ...(conditions === undefined ? {} : { conditions }) },
  });

describe("the status of a ReplicaSet", () => {
  it("counts pods by their state", () => {
    const labels = { app: "web", tier: "a" };
    const active = [
      somePod("a", { labels, ready: "11:00:00Z" }),
      somePod("b", { labels: { app: "web" }, ready: "11:59:30Z" }),
      somePod("c", { labels, phase: "Pending" }),
    ];

    const status = replicaSetStatus(set(), { active, terminating: [somePod("d", { isGoing: true })], now });

    assert.deepEqual(status, {
      replicas: 3,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 1,
      terminatingReplicas: 1,
      observedGeneration: 4,
    });
  });

  it("keeps the message of the first failure until a reconcile succeeds", () => {
    const failure = { reason: "FailedCreate", message: "second" } as const;
    const input = { active: [], terminating: [], now };

    assert.deepEqual(replicaSetStatus(set([failed]), { ...input, failure }).conditions, [failed]);
    assert.equal(replicaSetStatus(set([failed]), input).conditions, undefined);
    assert.deepEqual(replicaSetStatus(set(), { ...input, failure }).conditions, [
      { ...failed, message: "second", lastTransitionTime: "2026-01-01T12:00:00Z" },
    ]);
  });
});

describe("the pods that a ReplicaSet deletes", () => {
  it("are on nodes with more pods of the same Deployment first", () => {
    const active = [
      somePod("a", { node: "n1", ready: "09:00:00Z" }),
      somePod("b", { node: "n2", ready: "09:00:00Z" }),
      somePod("c", { node: "n3", ready: "09:00:00Z" }),
    ];
    const related = [...active, somePod("sibling", { node: "n2", ready: "09:00:00Z" })];

    const [first] = podsToDelete(active, { count: 1, related, now });

    assert.equal(first?.metadata.name, "b");
  });

  it("are all of them when none may stay", () => {
    const active = [somePod("a"), somePod("b")];

    assert.equal(podsToDelete(active, { count: 2, related: active, now }).length, 2);
  });
});
