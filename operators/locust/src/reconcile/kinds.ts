import { controllerOf, type DeepReadonly, type Stored } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Pod, Service } from "@homeostat/kubernetes/core/v1";
import { type CacheReader, created, type ReconcileContext, watched } from "@homeostat/runtime";
import { group, kind, labels, manager } from "../api/identity.ts";
import type { LocustTest } from "../api/locust-test.ts";
import { jobUidOf } from "../observe/pods.ts";

/** What is made for a test. A Job may be cleared away as soon as it has ended; its outcome is remembered. */
export const owns = {
  services: created(Service, { deletes: true }),
  jobs: created(Job, { deletes: true, remembersDeleted: true }),
};

/** The pods of those Jobs, found by the Job they belong to. */
export const watches = {
  pods: watched(Pod, {
    labels: `${labels.managedBy}=${manager}`,
    indexes: { job: jobUidOf },
    map: testOfPod,
  }),
};

/** What one pass over a test has to work with. */
export type Context = ReconcileContext<LocustTest, typeof owns, typeof watches, never>;

/** The test that a pod belongs to: that of its Job. A Job that is not there, or belongs to something else, maps to nothing. */
export function testOfPod(pod: Stored<Pod>, cache: Pick<CacheReader, "get">): readonly string[] {
  const owner = controllerOf(pod);
  const { namespace } = pod.metadata;
  if (owner === undefined || namespace === undefined || jobUidOf(pod) === undefined) return [];
  const job = cache.get(Job, { namespace, name: owner.name });
  const test = job === undefined ? undefined : testOwnerOf(job);
  return test === undefined ? [] : [`${namespace}/${test}`];
}

/** The name of the test that controls an object; undefined when something else does. */
function testOwnerOf(object: DeepReadonly<Job>): string | undefined {
  const owner = controllerOf(object);
  const isTest = owner?.kind === kind && owner.apiVersion.startsWith(`${group}/`);
  return isTest ? owner.name : undefined;
}
