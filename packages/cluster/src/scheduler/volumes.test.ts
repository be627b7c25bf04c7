import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import type { StorageClass } from "@homeostat/kubernetes/storage/v1";
import { volumeState } from "./volumes.ts";

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: {
    containers: [],
    volumes: [
      { name: "a", persistentVolumeClaim: { claimName: "data" } },
      { name: "tmp", emptyDir: {} },
    ],
  },
};
const claim = (more: Partial<PersistentVolumeClaim> = {}): PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data" },
  spec: { storageClassName: "late" },
  ...more,
});
const late: StorageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "late" },
  provisioner: "x",
  volumeBindingMode: "WaitForFirstConsumer",
};
const stateOf = (one: PersistentVolumeClaim | undefined): ReturnType<typeof volumeState> =>
  volumeState(pod, { claim: () => one, storageClass: (name) => (name === "late" ? late : undefined) });

describe("the volumes of a pod", () => {
  it("are ready when all claims are bound", () => {
    const metadata = { name: "data", annotations: { "pv.kubernetes.io/bind-completed": "yes" } };

    assert.deepEqual(stateOf(claim({ metadata, spec: { volumeName: "v" } })), { type: "ready" });
  });

  it("block scheduling when a claim is missing, being deleted or not bound", () => {
    const message = (one: PersistentVolumeClaim | undefined): string => {
      const state = stateOf(one);
      return state.type === "blocked" ? state.message : "";
    };

    assert.equal(message(undefined), 'persistentvolumeclaim "data" not found');
    assert.equal(
      message(claim({ metadata: { name: "data", deletionTimestamp: "2026-01-01T00:00:00Z" } })),
      'persistentvolumeclaim "data" is being deleted',
    );
    assert.equal(message(claim({ spec: {} })), "pod has unbound immediate PersistentVolumeClaims");
  });

  it("block scheduling until the claim of an ephemeral volume exists and belongs to the pod", () => {
    const metadata = { name: "p", namespace: "shop", uid: "u1" };
    const ephemeral: Pod = { ...pod, metadata, spec: { containers: [], volumes: [{ name: "tmp", ephemeral: {} }] } };
    const state = (one: PersistentVolumeClaim | undefined): unknown =>
      volumeState(ephemeral, { claim: () => one, storageClass: () => undefined });
    const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u1", controller: true };
    const annotations = { "pv.kubernetes.io/bind-completed": "yes" };
    const own = { name: "p-tmp", namespace: "shop", annotations, ownerReferences: [owner] };

    assert.deepEqual(state(undefined), {
      type: "blocked",
      message: 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-tmp"',
    });
    assert.deepEqual(state(claim({ metadata: { name: "p-tmp", namespace: "shop" } })), {
      type: "blocked",
      message: "PVC shop/p-tmp was not created for pod shop/p (pod is not owner)",
    });
    assert.deepEqual(state(claim({ metadata: own, spec: { volumeName: "v" } })), { type: "ready" });
  });

  it("wait for a node with WaitForFirstConsumer", () => {
    assert.equal(stateOf(claim()).type, "waiting");
  });
});
