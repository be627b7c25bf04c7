import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OwnerReference, Stored } from "@homeostat/core";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { job, pod } from "../../testing/jobs.ts";
import { isFinalizerObsolete } from "./release-loop.ts";

const owned = (kind: string, isTracked = true): Stored<Pod> => {
  const one = pod("a", { isTracked });
  const owner: OwnerReference = { apiVersion: "batch/v1", kind, name: "work", uid: "job", controller: true };
  return { ...one, metadata: { ...one.metadata, ownerReferences: [owner] } };
};
const over = job({}, { conditions: [{ type: "Complete", status: "True" }] });
const going = { ...job(), metadata: { ...job().metadata, deletionTimestamp: "2026-01-01T12:00:00Z" } };

describe("the tracking finalizer of a pod", () => {
  it("is obsolete when its Job is deleted, being deleted or finished", () => {
    assert.equal(isFinalizerObsolete(owned("Job"), undefined), true);
    assert.equal(isFinalizerObsolete(owned("Job"), going), true);
    assert.equal(isFinalizerObsolete(owned("Job"), over), true);
    assert.equal(isFinalizerObsolete(pod("a"), undefined), true);
  });

  it("is kept while a controller is going to count the pod", () => {
    assert.equal(isFinalizerObsolete(owned("Job"), job()), false);
    assert.equal(
      isFinalizerObsolete(owned("Job"), { ...over, spec: { ...over.spec, managedBy: "example.com/other" } }),
      false,
    );
    assert.equal(isFinalizerObsolete(owned("Other"), undefined), false);
    assert.equal(isFinalizerObsolete(owned("Job", false), undefined), false);
  });
});
