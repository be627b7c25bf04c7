import type { DeepReadonly } from "homeostat";
import { parseTime } from "@homeostat/core";
import type { Job } from "@homeostat/kubernetes/batch/v1";
import { type ContainerStateTerminated, Event, Pod } from "@homeostat/kubernetes/core/v1";
import { isPodHanging, podAgeMs } from "@homeostat/runtime";
import type { Role } from "../api/names.ts";
import type { Jobs } from "./jobs.ts";
import type { ObserveScope } from "./scope.ts";

export interface TestPod {
  readonly role: Role;
  readonly pod: DeepReadonly<Pod>;
}

/** The pods of a run and what explains their state. */
export interface ObservedPods {
  readonly pods: readonly TestPod[];
  /** Jobs that have no pod after the grace period. */
  readonly podlessJobs: readonly DeepReadonly<Job>[];
  /** Time until the grace period of the next Job without a pod ends. */
  readonly podlessJobInMs?: number | undefined;
  /** Events of hanging pods and of podless Jobs. */
  readonly events: readonly DeepReadonly<Event>[];
  readonly now: number;
  readonly graceMs: number;
  /** The master's Locust container: its exit code is the outcome of the test, not a failure of the pod. */
  readonly masterContainer: string;
  readonly expectedConfigMap: string | undefined;
  /** Disrupted workers are replaced, so they are not failures. */
  readonly ignoresDisruptions: boolean;
}

/** Observes the pods of a run, found by owner because users may override labels, and the events that explain their state. */
export async function observePods(scope: ObserveScope, jobs: Jobs): Promise<ObservedPods> {
  const { now, settings } = scope;
  const { testFiles, worker } = scope.test.spec;
  const graceMs = settings.podStartupGraceSeconds * 1_000;
  const pods = (["master", "worker"] as const).flatMap((role) => {
    const uid = jobs[role]?.metadata.uid;
    return uid === undefined ? [] : scope.context.watched.pods.by("job", uid).map((pod) => ({ role, pod }));
  });
  const hangingPods = pods.filter(({ pod }) => isOverdue(pod, { now, graceMs }) && isPodHanging(pod));
  const { podlessJobs, podlessJobInMs } = jobsWithoutPods(jobs, pods, { now, graceMs });
  const mountEvents = await warningsAbout(scope, {
    kind: "Pod",
    uids: hangingPods.map(({ pod }) => pod.metadata.uid),
    reasons: ["FailedMount", "FailedAttachVolume"],
  });
  const createEvents = await warningsAbout(scope, {
    kind: "Job",
    uids: podlessJobs.flatMap(({ metadata }) => metadata.uid ?? []),
    reasons: ["FailedCreate"],
  });
  return {
    pods,
    podlessJobs,
    podlessJobInMs,
    events: [...mountEvents, ...createEvents],
    now,
    graceMs,
    masterContainer: scope.nodeName("master"),
    expectedConfigMap: testFiles?.configMapRef ?? testFiles?.libConfigMapRef,
    ignoresDisruptions: worker.ignoreDisruptions,
  };
}

interface Grace {
  readonly now: number;
  readonly graceMs: number;
}

function isOverdue(pod: DeepReadonly<Pod>, { now, graceMs }: Grace): boolean {
  return pod.metadata.deletionTimestamp === undefined && podAgeMs(pod, now) >= graceMs;
}

function jobsWithoutPods(
  jobs: Jobs,
  pods: readonly TestPod[],
  { now, graceMs }: Grace,
): Pick<ObservedPods, "podlessJobs" | "podlessJobInMs"> {
  const podlessJobs: DeepReadonly<Job>[] = [];
  const waitsMs: number[] = [];
  for (const role of ["master", "worker"] as const) {
    const job = jobs[role];
    const { active = 0, succeeded = 0, failed = 0 } = job?.status ?? {};
    const { creationTimestamp } = job?.metadata ?? {};
    const hasPods = active + succeeded + failed > 0 || pods.some((each) => each.role === role);
    if (job === undefined || hasPods || creationTimestamp === undefined) continue;
    const leftMs = parseTime(creationTimestamp) + graceMs - now;
    if (leftMs <= 0) podlessJobs.push(job);
    else waitsMs.push(leftMs);
  }
  return { podlessJobs, podlessJobInMs: waitsMs.length === 0 ? undefined : Math.min(...waitsMs) };
}

/** Returns Warning events about objects of a kind; none where the operator may not list events. */
async function warningsAbout(
  scope: ObserveScope,
  {
    kind,
    uids,
    reasons,
  }: { readonly kind: string; readonly uids: readonly string[]; readonly reasons: readonly string[] },
): Promise<readonly Event[]> {
  if (uids.length === 0) return [];
  const { client, namespace, signal, log } = scope.context;
  const list = (fieldSelector: string) => client.items(Event, { namespace, fieldSelector, signal });
  const found: Event[] = [];
  for (const reason of reasons)
    found.push(...(await scope.warningEvents.about(uids, { namespace, kind, reason }, { list, signal, log })));
  return found;
}

/** Returns how the master's Locust container ended; undefined while it has not. */
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

/**
 * Returns how the master ended.
 *
 * The caches of pods and Jobs are not synchronized: a Job may be Failed in the cache before its pod shows an exit code. For a
 * failed Job the pods are therefore read from the API server.
 */
export async function observeMasterExit(
  scope: ObserveScope,
  pods: readonly TestPod[],
  failedJob: DeepReadonly<Job> | undefined,
): Promise<DeepReadonly<ContainerStateTerminated> | undefined> {
  const container = scope.nodeName("master");
  const known = masterExitOf(pods, container);
  const uid = failedJob?.metadata.uid;
  if (known !== undefined || uid === undefined) return known;
  const { client, namespace, signal } = scope.context;
  const labelSelector = `batch.kubernetes.io/controller-uid=${uid}`;
  const { items } = await client.list(Pod, { namespace, labelSelector, limit: 10, signal });
  return masterExitOf(
    items.map((pod) => ({ role: "master", pod })),
    container,
  );
}

export function runningMasterOf(pods: readonly TestPod[], container: string): DeepReadonly<Pod> | undefined {
  return pods.find(
    ({ role, pod }) =>
      role === "master" &&
      pod.metadata.deletionTimestamp === undefined &&
      pod.status?.containerStatuses?.some(({ name, state }) => name === container && state?.running !== undefined),
  )?.pod;
}
