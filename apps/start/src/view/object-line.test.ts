import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PodStatus } from "@homeostat/kubernetes/core/v1";
import { jobState, podState, replicasState } from "./object-line.ts";

const pod = (status: PodStatus): string => podState({ metadata: {}, status });
const container = { name: "main", image: "i", imageID: "", restartCount: 0 };

describe("what is said of an object", () => {
  it("is where a pod stands", () => {
    const running = { ...container, ready: true, state: { running: {} } };
    const waiting = (reason: string): PodStatus => ({
      phase: "Pending",
      containerStatuses: [{ ...container, ready: false, state: { waiting: { reason } } }],
    });

    assert.equal(pod({}), "is made");
    assert.equal(pod(waiting("ContainerCreating")), "is made");
    assert.equal(pod(waiting("ImagePullBackOff")), "ImagePullBackOff");
    assert.equal(pod({ phase: "Running", containerStatuses: [running] }), "runs");
    assert.equal(pod({ phase: "Running", containerStatuses: [{ ...running, ready: false }] }), "starts");
    assert.equal(
      pod({
        phase: "Running",
        containerStatuses: [{ ...container, ready: false, state: { terminated: { exitCode: 0 } } }],
      }),
      "ends",
    );
    assert.equal(pod({ phase: "Succeeded" }), "is done");
    assert.equal(pod({ phase: "Failed" }), "has failed");
  });

  it("is how many pods of a set are ready", () => {
    assert.equal(replicasState({ spec: { replicas: 3 } }), "is made");
    assert.equal(replicasState({ spec: { replicas: 3 }, status: { readyReplicas: 2 } }), "has 2 of 3 ready");
    assert.equal(replicasState({ spec: { replicas: 0 }, status: {} }), "has 0 of 0 ready");
  });

  it("is how a Job ended", () => {
    const job = (type: string, reason?: string): string =>
      jobState({
        status: { conditions: [{ type, status: "True", ...(reason === undefined ? {} : { reason }) }] },
      });

    assert.equal(job("SuccessCriteriaMet"), "is made");
    assert.equal(job("Complete"), "is complete");
    assert.equal(job("Failed", "BackoffLimitExceeded"), "has failed: BackoffLimitExceeded");
  });
});
