import { isEqual, keyOf, labelSelectorFrom, NotFoundError, removeFinalizer } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { type CacheReader, type Controller, defineController, watched } from "@homeostat/runtime";
import { fieldManager } from "../common/parts.ts";
import { Remembered } from "../common/remembered.ts";
import { claim } from "../pods/claim.ts";
import { controllerIndex, controllerKey, controllerOf, orphansOf } from "../pods/ownership.ts";
import type { WorkloadParts } from "../pods/parts.ts";
import type { StoredPod } from "../pods/pod-state.ts";
import { type BackoffRecord, noFailures } from "./backoff.ts";
import { isFinished, isManagedByOther, type StoredJob, trackingFinalizer } from "./job.ts";
import { JobReconcile } from "./reconcile.ts";
import { viewJob } from "./view.ts";

/** Builds the Job controller, which creates pods until a Job has the requested successes or too many failures. */
export function jobController({ clock }: WorkloadParts): Controller {
  /**
   * Back-off records by uid of the Job. They are lost on restart, as in Kubernetes: the next pod is then created
   * without back-off.
   */
  const records = new Map<string, BackoffRecord>();
  /**
   * Pods whose finalizer was removed although the cache may still show it, by uid of the Job (kube-controller-manager
   * calls these the finalizer expectations, `uidTrackingExpectations`).
   */
  const released = new Remembered<ReleasedPods>();
  const forget = (uid: string): void => {
    records.delete(uid);
    released.delete(uid);
  };
  return defineController({
    name: "job",
    for: Job,
    fieldManager,
    concurrency: 5,
    watches: {
      pods: watched(Pod, { indexes: { controller: controllerIndex }, map: jobsOf }),
    },
    access: [{ type: Pod, verbs: ["create", "delete", "patch"] }],
    async reconcile({ object: job, key, namespace, watched: { pods }, all, client, signal, event }) {
      if (isManagedByOther(job)) return;
      const { uid } = job.metadata;
      if (isFinished(job)) {
        forget(uid);
        return;
      }
      const candidates = [...pods.by("controller", uid), ...pods.by("controller", orphansOf(namespace))];
      const claimed = await claim(candidates, {
        type: Pod,
        owner: { type: Job, object: job },
        selector: labelSelectorFrom(job.spec?.selector),
        finalizer: trackingFinalizer,
        client,
        signal,
        readOwner: () => client.get(Job, { name: job.metadata.name, namespace }, { signal }),
      });
      // Adopted pods have the finalizer in the cache by now. Removing the last finalizer of a pod that is being
      // deleted deletes it at once, and the response looks like the pod before. Until the cache sees the deletion,
      // the pod still appears to have the finalizer and would be counted a second time, so it is treated as released.
      const releasedPods = new Set(
        claimed.map(({ metadata }) => metadata.uid).filter((pod) => released.get(uid)?.pods.has(pod)),
      );
      released.set(uid, { key, pods: releasedPods }, (known) => {
        const of = released.get(known)?.key;
        const exists = of !== undefined && all.get(of)?.metadata.uid === known;
        if (!exists) records.delete(known);
        return exists;
      });
      const current = claimed
        .map((pod) => pods.get(keyOf(pod)) ?? pod)
        .map((pod) => (releasedPods.has(pod.metadata.uid) ? removeFinalizer(pod, trackingFinalizer) : pod));
      const view = viewJob(job, current, { record: records.get(uid) ?? noFailures, now: clock.now() });

      const run = new JobReconcile({
        event,
        createPod: (pod) => client.create(Pod, pod, { signal, fieldManager }),
        deletePod: (pod) => client.delete(Pod, nameOf(pod), { signal }),
        releasePod: async (pod) => {
          await release(() => client.patch(Pod, nameOf(pod), releasePatch, { signal, fieldManager }));
          releasedPods.add(pod.metadata.uid);
        },
        writeStatus: async (before, status) => {
          const written = await client.update(
            Job,
            { ...before, status },
            { subresource: "status", signal, fieldManager },
          );
          records.set(uid, view.record);
          return written;
        },
      });
      return run.perform(view);
    },
  });
}

/** The released pods of a Job by uid, and the key of the Job. */
interface ReleasedPods {
  readonly key: string;
  readonly pods: ReadonlySet<string>;
}

/** Patch that removes the tracking finalizer and keeps all other finalizers. */
export const releasePatch: { readonly strategic: Readonly<Record<string, unknown>> } = {
  strategic: { metadata: { "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } },
};

/** Removes the finalizer of a pod. A pod that is not found has none and counts as released. */
export async function release(patch: () => Promise<unknown>): Promise<void> {
  try {
    await patch();
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}

function nameOf({ metadata }: StoredPod): { readonly name: string; readonly namespace: string | undefined } {
  return { name: metadata.name, namespace: metadata.namespace };
}

/** Returns the Jobs that a pod affects: its controller, or for an orphan the unfinished Jobs whose selector matches. */
function jobsOf(pod: StoredPod, cache: CacheReader): readonly string[] {
  if (controllerOf(pod) !== undefined) {
    const key = controllerKey(Job, pod);
    return key === undefined ? [] : [key];
  }
  const labels = pod.metadata.labels ?? {};
  const jobs = cache.list(Job, { namespace: pod.metadata.namespace ?? "" });
  return jobs.filter((job) => isUnfinished(job) && labelSelectorFrom(job.spec?.selector).matches(labels)).map(keyOf);
}

function isUnfinished(job: StoredJob): boolean {
  return !isFinished(job) && !isEqual(job.spec?.selector ?? {}, {});
}
