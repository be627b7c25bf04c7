import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Health } from "../api/types.ts";
import { objectHealth } from "./object-health.ts";

const custom = { group: "example.com", kind: "Site" };

function healthOf(fields: object, kind = custom, metadata: object = {}): Health {
  const object = { apiVersion: "v1", kind: kind.kind, metadata: { name: "a", ...metadata }, ...fields };
  return objectHealth(object, kind);
}

function condition(type: string, status: string, reason = "", message = ""): object {
  return { type, status, reason, message };
}

describe("the state of a custom resource", () => {
  for (const [name, status, expected] of [
    ["is the phase", { phase: "Running" }, ["ready", "Running"]],
    ["is a problem in the phase Failed", { phase: "Failed" }, ["problem", "Failed"]],
    [
      "is progressing in the phase Pending",
      { phase: "Pending", conditions: [condition("Ready", "False")] },
      ["progressing", "Pending"],
    ],
    [
      "is a problem if Ready is False",
      { phase: "Running", conditions: [condition("Ready", "False", "NoQuorum")] },
      ["problem", "NoQuorum"],
    ],
    [
      "is unknown if Ready is Unknown",
      { conditions: [condition("Ready", "Unknown", "Pending")] },
      ["unknown", "Pending"],
    ],
    [
      "is a problem if an alarm is True",
      { phase: "Running", conditions: [condition("Conflict", "True", "HostConflict")] },
      ["problem", "HostConflict"],
    ],
    ["is ready if Ready is True", { conditions: [condition("Ready", "True")] }, ["ready", "Ready"]],
    [
      "is finished in the phase Succeeded",
      { phase: "Succeeded", conditions: [condition("Ready", "False")] },
      ["finished", "Succeeded"],
    ],
    ["is unknown without phase and conditions", { replicas: 3 }, ["unknown", "Unknown"]],
  ] as const) {
    it(name, () => {
      const { state, word } = healthOf({ status });

      assert.deepEqual([state, word], expected);
    });
  }

  it("is unknown without a status", () => {
    assert.equal(healthOf({}).word, "No status");
  });

  it("is progressing while the status is about an older generation", () => {
    const { state, message } = healthOf({ status: { phase: "Running", observedGeneration: 1 } }, custom, {
      generation: 2,
    });

    assert.equal(state, "progressing");
    assert.match(message, /has not observed the latest change/);
  });

  it("names the finalizers that a deletion waits for", () => {
    const metadata = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["example.com/cleanup"] };

    assert.deepEqual(healthOf({ status: { phase: "Running" } }, custom, metadata), {
      state: "progressing",
      word: "Deleting",
      message: "Waiting for finalizers: example.com/cleanup",
    });
  });
});

describe("the state of a built-in object", () => {
  const apps = (kind: string) => ({ group: "apps", kind });
  const core = (kind: string) => ({ group: "", kind });
  const waiting = (reason: string) => ({ name: "web", state: { waiting: { reason, message: "m" } } });
  for (const [name, kind, fields, expected] of [
    [
      "counts ready replicas",
      apps("Deployment"),
      { spec: { replicas: 2 }, status: { readyReplicas: 2, updatedReplicas: 2 } },
      ["ready", "2/2 ready"],
    ],
    [
      "is progressing during an update",
      apps("StatefulSet"),
      { spec: { replicas: 2 }, status: { readyReplicas: 2, updatedReplicas: 1 } },
      ["progressing", "2/2 ready"],
    ],
    [
      "is a problem if pods are refused",
      apps("ReplicaSet"),
      { spec: { replicas: 1 }, status: { conditions: [condition("ReplicaFailure", "True", "FailedCreate", "quota")] } },
      ["problem", "0/1 ready"],
    ],
    [
      "is finished at 0 replicas",
      apps("Deployment"),
      { spec: { replicas: 0 }, status: {} },
      ["finished", "Scaled to 0"],
    ],
    [
      "is that of a crashing container",
      core("Pod"),
      { status: { phase: "Running", containerStatuses: [waiting("CrashLoopBackOff")] } },
      ["problem", "CrashLoopBackOff"],
    ],
    [
      "is progressing while containers are created",
      core("Pod"),
      { status: { phase: "Pending", containerStatuses: [waiting("ContainerCreating")] } },
      ["progressing", "Pending"],
    ],
    [
      "is ready if all containers are",
      core("Pod"),
      { status: { phase: "Running", containerStatuses: [{ name: "web", ready: true }] } },
      ["ready", "Running"],
    ],
    [
      "is a problem for an unschedulable pod",
      core("Pod"),
      { status: { phase: "Pending", conditions: [condition("PodScheduled", "False", "Unschedulable")] } },
      ["problem", "Unschedulable"],
    ],
    [
      "is that of a failed Job",
      { group: "batch", kind: "Job" },
      { status: { conditions: [condition("Failed", "True", "BackoffLimitExceeded")] } },
      ["problem", "BackoffLimitExceeded"],
    ],
    [
      "is finished for a complete Job",
      { group: "batch", kind: "Job" },
      { status: { conditions: [condition("Complete", "True")] } },
      ["finished", "Complete"],
    ],
    [
      "is progressing for an unbound claim",
      core("PersistentVolumeClaim"),
      { status: { phase: "Pending" } },
      ["progressing", "Pending"],
    ],
    ["is its existence for other kinds", core("ConfigMap"), {}, ["ready", "Exists"]],
  ] as const) {
    it(name, () => {
      const { state, word } = healthOf(fields, kind);

      assert.deepEqual([state, word], expected);
    });
  }
});
