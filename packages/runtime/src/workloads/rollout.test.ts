import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Deployment, DeploymentStatus, StatefulSet, StatefulSetStatus } from "@homeostat/kubernetes/apps/v1";
import { isRolloutComplete, isStatusCurrent, type RollingWorkload, rolloutOf } from "./rollout.ts";

const full = { observedGeneration: 3, replicas: 2, readyReplicas: 2, updatedReplicas: 2 };

function deployment(status?: DeploymentStatus, replicas = 2): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { generation: 3 },
    spec: { replicas, selector: {}, template: {} },
    ...(status !== undefined && { status }),
  };
}

function statefulSet(status?: Partial<StatefulSetStatus>, replicas = 2): StatefulSet {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { generation: 3 },
    spec: { replicas, serviceName: "s", selector: {}, template: {} },
    ...(status !== undefined && { status: { replicas: 0, ...status } }),
  };
}

interface Row {
  readonly name: string;
  readonly workload: RollingWorkload | undefined;
  /** Complete towards two desired replicas. */
  readonly isRolledOut: boolean;
  /** Complete by the workload's own spec, each pod counted. */
  readonly isEachPodCounted: boolean;
}

const same = { currentRevision: "a", updateRevision: "a" };
const differing = { currentRevision: "a", updateRevision: "b" };

const rows: readonly Row[] = [
  { name: "a workload that does not exist", workload: undefined, isRolledOut: false, isEachPodCounted: false },
  { name: "a Deployment without a status", workload: deployment(), isRolledOut: false, isEachPodCounted: false },
  { name: "a complete Deployment", workload: deployment(full), isRolledOut: true, isEachPodCounted: true },
  {
    name: "a Deployment whose status is of the previous generation",
    workload: deployment({ ...full, observedGeneration: 2 }),
    isRolledOut: false,
    isEachPodCounted: false,
  },
  {
    name: "a Deployment with a surplus pod",
    workload: deployment({ ...full, replicas: 3 }),
    isRolledOut: false,
    isEachPodCounted: false,
  },
  {
    name: "a Deployment with a pod of the previous template",
    workload: deployment({ ...full, updatedReplicas: 1 }),
    isRolledOut: false,
    isEachPodCounted: false,
  },
  {
    name: "a Deployment with a pod that is not ready",
    workload: deployment({ ...full, readyReplicas: 1 }),
    isRolledOut: false,
    isEachPodCounted: false,
  },
  {
    name: "a Deployment whose spec has the previous number of replicas",
    workload: deployment(full, 3),
    isRolledOut: true,
    isEachPodCounted: false,
  },
  { name: "a StatefulSet without a status", workload: statefulSet(), isRolledOut: false, isEachPodCounted: false },
  { name: "a complete StatefulSet", workload: statefulSet(full), isRolledOut: true, isEachPodCounted: true },
  {
    name: "a StatefulSet with one revision that has not counted updated pods",
    workload: statefulSet({ ...full, ...same, updatedReplicas: 0 }),
    isRolledOut: true,
    isEachPodCounted: false,
  },
  {
    name: "a StatefulSet with two revisions",
    workload: statefulSet({ ...full, ...differing, updatedReplicas: 1 }),
    isRolledOut: false,
    isEachPodCounted: false,
  },
  {
    name: "a StatefulSet whose revisions differ and whose pods are all updated",
    workload: statefulSet({ ...full, ...differing }),
    isRolledOut: true,
    isEachPodCounted: true,
  },
  {
    name: "a StatefulSet with one revision whose status is of the previous generation",
    workload: statefulSet({ ...full, ...same, observedGeneration: 2 }),
    isRolledOut: false,
    isEachPodCounted: false,
  },
  {
    name: "a StatefulSet with a pod that is not ready",
    workload: statefulSet({ ...full, ...same, readyReplicas: 1 }),
    isRolledOut: false,
    isEachPodCounted: false,
  },
];

describe("rollouts", () => {
  for (const { name, workload, isRolledOut, isEachPodCounted } of rows) {
    it(`${isRolledOut ? "rolloutOf completes" : "rolloutOf does not complete"} for ${name}`, () => {
      assert.equal(rolloutOf(workload, 2).isComplete, isRolledOut);
    });

    it(`isRolloutComplete returns ${isEachPodCounted} for ${name}`, () => {
      assert.equal(isRolloutComplete(workload), isEachPodCounted);
    });
  }

  it("counts ready and updated pods", () => {
    assert.deepEqual(rolloutOf(deployment({ ...full, readyReplicas: 1 }), 2), {
      exists: true,
      ready: 1,
      updated: 2,
      isComplete: false,
    });
    assert.equal(rolloutOf(undefined, 0).exists, false);
  });

  it("is complete without pods when none are desired", () => {
    const none = { observedGeneration: 3 };

    assert.equal(rolloutOf(deployment(none, 0), 0).isComplete, true);
    assert.equal(isRolloutComplete(deployment(none, 0)), true);
  });

  it("defaults to one pod if the spec has no replicas", () => {
    const { spec, ...rest } = deployment({ observedGeneration: 3, replicas: 1, readyReplicas: 1, updatedReplicas: 1 });

    assert.equal(isRolloutComplete({ ...rest, spec: { selector: {}, template: spec?.template ?? {} } }), true);
  });

  it("compares the observed generation", () => {
    assert.equal(isStatusCurrent(deployment()), false);
    assert.equal(isStatusCurrent(deployment({ observedGeneration: 3 })), true);
    assert.equal(isStatusCurrent(deployment({ observedGeneration: 4 })), true);
  });
});
