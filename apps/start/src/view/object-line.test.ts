import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PodStatus } from "@homeostat/kubernetes/core/v1";
import { jobState, podState, replicasState } from "./object-line.ts";

const pod = (status: PodStatus): string => podState({ metadata: {}, status });
const container = { name: "main", image: "i", imageID: "", restartCount: 0 };

describe("the state of an object", () => {
  it("is the phase of a pod, or why its container waits", () => {
    const running = { ...container, ready: true, state: { running: {} } };
    const waiting = (reason: string): PodStatus => ({
      phase: "Pending",
      containerStatuses: [{ ...container, ready: false, state: { waiting: { reason } } }],
    });

    assert.equal(pod({}), "created");
    assert.equal(pod(waiting("ContainerCreating")), "created");
    assert.equal(pod(waiting("ImagePullBackOff")), "ImagePullBackOff");
    assert.equal(pod({ phase: "Running", containerStatuses: [running] }), "running");
    assert.equal(pod({ phase: "Running", containerStatuses: [{ ...running, ready: false }] }), "starting");
    assert.equal(
      pod({
        phase: "Running",
        containerStatuses: [{ ...container, ready: false, state: { terminated: { exitCode: 0 } } }],
      }),
      "completing",
    );
    assert.equal(pod({ phase: "Succeeded" }), "succeeded");
    assert.equal(pod({ phase: "Failed" }), "failed");
  });

  it("is the number of ready pods of a workload", () => {
    assert.equal(replicasState({ spec: { replicas: 3 } }), "created");
    assert.equal(replicasState({ spec: { replicas: 3 }, status: { readyReplicas: 2 } }), "2/3 ready");
    assert.equal(replicasState({ spec: { replicas: 0 }, status: {} }), "0/0 ready");
  });

  it("is the result of a Job", () => {
    const job = (type: string, reason?: string): string =>
      jobState({
        status: { conditions: [{ type, status: "True", ...(reason === undefined ? {} : { reason }) }] },
      });

    assert.equal(job("SuccessCriteriaMet"), "created");
    assert.equal(job("Complete"), "complete");
    assert.equal(job("Failed", "BackoffLimitExceeded"), "failed: BackoffLimitExceeded");
  });
});
