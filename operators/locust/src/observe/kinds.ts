// The kinds that the controller owns and watches, and which test a change belongs to.

import { created, type DeepReadonly, type ReconcileContext, watched } from "homeostat";
import { controllerOf, type Stored } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Pod, Service } from "@homeostat/kubernetes/core/v1";
import type { CacheReader } from "@homeostat/runtime";
import type { LocustTest } from "../api/locust-test.ts";
import { group, kind, labels, manager } from "../api/names.ts";

/** Owned kinds. A Job may be removed by its TTL as soon as it has ended, so its last state is remembered. */
export const owns = {
  services: created(Service, { deletes: true }),
  jobs: created(Job, { deletes: true, remembersDeleted: true }),
};

export const watches = {
  pods: watched(Pod, {
    labels: `${labels.managedBy}=${manager}`,
    indexes: { job: jobUidOf },
    map: testOfPod,
  }),
};

/** The runtime's context of one reconcile. */
export type Context = ReconcileContext<LocustTest, typeof owns, typeof watches, never>;

export function jobUidOf(pod: DeepReadonly<Pod>): string | undefined {
  const owner = controllerOf(pod);
  return owner?.kind === "Job" && owner.apiVersion === "batch/v1" ? owner.uid : undefined;
}

/** Maps a pod to the test that owns its Job; to nothing when the Job is missing or belongs to another object. */
export function testOfPod(pod: Stored<Pod>, cache: Pick<CacheReader, "get">): readonly string[] {
  const owner = controllerOf(pod);
  const { namespace } = pod.metadata;
  if (owner === undefined || namespace === undefined || jobUidOf(pod) === undefined) return [];
  const job = cache.get(Job, { namespace, name: owner.name });
  const test = job === undefined ? undefined : controllerOf(job);
  const isTest = test?.kind === kind && test.apiVersion.startsWith(`${group}/`);
  return isTest ? [`${namespace}/${test.name}`] : [];
}
