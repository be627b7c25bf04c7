import { formatApiVersion, keyOf, parseKey } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { type ControlLoop, type ControlParts, fieldManager } from "../common/parts.ts";
import { controlQueue, processQueue } from "../common/work.ts";
import { controllerIndex, controllerOf } from "../pods/ownership.ts";
import type { StoredPod } from "../pods/pod-state.ts";
import { release, releasePatch } from "./controller.ts";
import { isFinished, isManagedByOther, isTracked, type StoredJob } from "./job.ts";

/**
 * Removes the tracking finalizer from pods that will not be counted: their Job is deleted, being deleted, or finished
 * (the "orphan pods" queue of the Job controller).
 *
 * This is a loop of its own because the Job controller does not process Jobs that are deleted or finished, and a pod
 * that is being deleted would stay forever with the finalizer.
 */
export function jobPodReleaseLoop({
  client,
  cache,
  clock,
  log,
}: Pick<ControlParts, "client" | "cache" | "clock" | "log">): ControlLoop {
  return {
    name: "job-pod-release",
    when: "leading",
    async run(signal) {
      using jobs = cache.informer(Job);
      using pods = cache.informer(Pod).index("controller", controllerIndex);
      const queue = controlQueue("job-pod-release", clock);
      const jobOf = (pod: StoredPod): StoredJob | undefined => {
        const owner = controllerOf(pod);
        const job = owner && jobs.get({ name: owner.name, namespace: pod.metadata.namespace ?? "" });
        return job?.metadata.uid === owner?.uid ? job : undefined;
      };
      const queueIfObsolete = (pod: StoredPod): void => {
        if (jobs.isSynced && isFinalizerObsolete(pod, jobOf(pod))) queue.add(keyOf(pod));
      };
      const queueExisting = async (): Promise<void> => {
        await jobs.ready(signal);
        for (const pod of pods.list()) queueIfObsolete(pod);
      };
      const subscriptions = [
        pods.subscribe(({ type, object }) => {
          if (type !== "delete") queueIfObsolete(object);
        }),
        jobs.subscribe(({ object }) => {
          for (const pod of pods.by("controller", object.metadata.uid)) queueIfObsolete(pod);
        }),
      ];
      const work = async (key: string, stop: AbortSignal): Promise<void> => {
        const pod = pods.get(key);
        if (pod === undefined || !isFinalizerObsolete(pod, jobOf(pod))) return;
        const { name, namespace } = parseKey(key);
        await release(() => client.patch(Pod, { name, namespace }, releasePatch, { signal: stop, fieldManager }));
      };
      await Promise.all([queueExisting().catch(() => undefined), processQueue({ queue, log }, work, signal)]);
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
    },
  };
}

/**
 * Reports whether the tracking finalizer of a pod is obsolete. `job` is the pod's Job; undefined when it is deleted.
 */
export function isFinalizerObsolete(pod: StoredPod, job: StoredJob | undefined): boolean {
  if (!isTracked(pod)) return false;
  const owner = controllerOf(pod);
  if (owner !== undefined && (owner.kind !== Job.kind || owner.apiVersion !== formatApiVersion(Job))) return false;
  if (job === undefined) return true;
  return !isManagedByOther(job) && (isFinished(job) || job.metadata.deletionTimestamp !== undefined);
}
