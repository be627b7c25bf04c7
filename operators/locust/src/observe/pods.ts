import { controllerOf, type DeepReadonly } from "@homeostat/core";
import type { Job } from "@homeostat/kubernetes/batch/v1";
import type { ContainerStateTerminated, Pod } from "@homeostat/kubernetes/core/v1";
import type { Role } from "../api/identity.ts";

/** A pod of a test, and which half of it it belongs to. */
export interface TestPod {
  readonly role: Role;
  readonly pod: DeepReadonly<Pod>;
}

/** The uid of the Job that a pod belongs to; undefined for a pod of anything else. */
export function jobUidOf(pod: DeepReadonly<Pod>): string | undefined {
  const owner = controllerOf(pod);
  return owner?.kind === "Job" && owner.apiVersion === "batch/v1" ? owner.uid : undefined;
}

/** The pods of the two Jobs, by owner and nothing else: labels can be overwritten by users. */
export function podsOf(
  jobs: Readonly<Record<Role, DeepReadonly<Job> | undefined>>,
  byJob: (uid: string) => readonly DeepReadonly<Pod>[],
): readonly TestPod[] {
  const ofRole = (role: Role): TestPod[] => {
    const uid = jobs[role]?.metadata.uid;
    return uid === undefined ? [] : byJob(uid).map((pod) => ({ role, pod }));
  };
  return [...ofRole("master"), ...ofRole("worker")];
}

/** How the Locust container of a master has ended; undefined when it has not, or nobody knows. */
export function masterExitOf(
  pods: readonly TestPod[],
  container: string,
): DeepReadonly<ContainerStateTerminated> | undefined {
  for (const { role, pod } of pods) {
    if (role !== "master") continue;
    const found = pod.status?.containerStatuses?.find(({ name }) => name === container)?.state?.terminated;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The master pod whose Locust container is running, if there is one. */
export function runningMasterOf(pods: readonly TestPod[], container: string): DeepReadonly<Pod> | undefined {
  return pods.find(
    ({ role, pod }) =>
      role === "master" &&
      pod.metadata.deletionTimestamp === undefined &&
      pod.status?.containerStatuses?.some(({ name, state }) => name === container && state?.running !== undefined),
  )?.pod;
}
