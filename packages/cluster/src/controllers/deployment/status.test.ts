import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DeploymentCondition } from "@homeostat/kubernetes/apps/v1";
import { deployment, now, set } from "../../testing/deployments.ts";
import { isComplete, msToTimeout, rolloutStatus } from "./status.ts";

const progressing = (
  reason: string,
  at: string,
  status: "True" | "False" | "Unknown" = "True",
): DeploymentCondition => {
  const time = `2026-01-01T${at}`;
  return { type: "Progressing", status, reason, message: "m", lastUpdateTime: time, lastTransitionTime: time };
};
const progressOf = (status: ReturnType<typeof rolloutStatus>): string => {
  const found = status.conditions?.find(({ type }) => type === "Progressing");
  return `${found?.status} ${found?.reason} ${found?.lastUpdateTime?.slice(11)} ${found?.lastTransitionTime?.slice(11)}`;
};

describe("the status of a rollout", () => {
  it("counts the pods of all ReplicaSets and those of the current one", () => {
    const current = set("new", { size: 5, available: 3 });
    const old = [set("old", { size: 7, available: 6 })];

    const { conditions: _, ...counts } = rolloutStatus({ deployment: deployment(), current, old, now });

    assert.deepEqual(counts, {
      observedGeneration: 1,
      replicas: 12,
      updatedReplicas: 5,
      readyReplicas: 9,
      availableReplicas: 9,
      unavailableReplicas: 3,
    });
  });

  it("reports whether enough pods are available", () => {
    const of = (available: number): string | undefined =>
      rolloutStatus({
        deployment: deployment(),
        current: set("new", { size: 10, available }),
        old: [],
        now,
      }).conditions?.find(({ type }) => type === "Available")?.reason;

    assert.equal(of(8), "MinimumReplicasAvailable");
    assert.equal(of(7), "MinimumReplicasUnavailable");
  });

  it("renews the time of the last progress and keeps the transition time", () => {
    const before = { replicas: 3, updatedReplicas: 3, conditions: [progressing("NewReplicaSetCreated", "11:00:00Z")] };

    const status = rolloutStatus({
      deployment: deployment({}, before),
      current: set("new", { size: 5 }),
      old: [],
      now,
    });

    assert.equal(progressOf(status), "True ReplicaSetUpdated 12:00:00Z 11:00:00Z");
  });

  it("exceeds the deadline without progress", () => {
    const of = (at: string): string => {
      const before = { replicas: 5, updatedReplicas: 5, conditions: [progressing("ReplicaSetUpdated", at)] };
      const current = set("new", { size: 5, available: 0 });
      return progressOf(rolloutStatus({ deployment: deployment({}, before), current, old: [], now }));
    };

    assert.equal(of("11:50:00Z"), "True ReplicaSetUpdated 11:50:00Z 11:50:00Z");
    assert.equal(of("11:49:59Z"), "False ProgressDeadlineExceeded 12:00:00Z 12:00:00Z");
  });

  it("is complete when all pods are new and available, and stays complete", () => {
    const current = set("new", { size: 10 });
    const whole = deployment({}, { conditions: [progressing("ReplicaSetUpdated", "11:59:00Z")] });

    const done = rolloutStatus({ deployment: whole, current, old: [], now });
    const lost = rolloutStatus({
      deployment: { ...whole, status: done },
      current: set("new", { size: 10, available: 1 }),
      old: [],
      now: now + 3_600_000,
    });

    assert.equal(isComplete(whole, done), true);
    assert.equal(progressOf(done), "True NewReplicaSetAvailable 12:00:00Z 11:59:00Z");
    assert.equal(progressOf(lost), progressOf(done));
  });

  it("has no Progressing condition without a deadline", () => {
    const whole = deployment({ progressDeadlineSeconds: 2 ** 31 - 1 }, { conditions: [progressing("X", "11:00:00Z")] });

    const status = rolloutStatus({ deployment: whole, current: set("new"), old: [], now });

    assert.deepEqual(
      status.conditions?.map(({ type }) => type),
      ["Available"],
    );
  });

  it("returns when to check the deadline", () => {
    const whole = deployment({}, { conditions: [progressing("ReplicaSetUpdated", "11:55:00Z")] });

    assert.equal(msToTimeout(whole, whole.status ?? {}, now), 301_000);
    assert.equal(msToTimeout(whole, {}, now), undefined);
  });
});
