import { type Controller, created, defineController, source, watched, when } from "homeostat";
import { controllerOf, type Stored } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Pod, Service } from "@homeostat/kubernetes/core/v1";
import type { CacheReader } from "@homeostat/runtime";
import { LocustTest } from "../api/locust-test.ts";
import { finalizer, group, kind, labels, manager } from "../api/names.ts";
import { jobUidOf } from "../observe/pods.ts";
import { cleanup } from "./cleanup.ts";
import { reconcile } from "./reconcile.ts";
import type { Dependencies } from "./scope.ts";

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

/** Defines the controller of load tests. */
export function locustTests(dependencies: Dependencies): Controller {
  const { settings, live } = dependencies;
  return defineController({
    name: "locusttest",
    for: LocustTest,
    reportingController: "locusttest-controller",
    owns,
    watches,
    sources: [
      source({
        name: "live-stats",
        open: (signal) => live().listen(signal),
        // With watched namespaces there is one controller per namespace. Only the one whose cache has the test enqueues the key.
        map: (key, cache) => (cache.get(LocustTest, key) === undefined ? [] : [key]),
      }),
    ],
    finalizer,
    concurrency: settings.maxConcurrentReconciles,
    retry: { baseMs: 5, capMs: 960_000 },
    // The status and managed fields are not in the list: their changes are writes of this controller and need no reconcile.
    when: when.changed(({ metadata: { uid, generation, deletionTimestamp, annotations, labels, finalizers } }) => [
      uid,
      generation,
      deletionTimestamp,
      annotations,
      labels,
      finalizers,
    ]),
    reconcile: async (context) => reconcile(context, dependencies),
    cleanup: async (context) => cleanup(context, dependencies),
  });
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
